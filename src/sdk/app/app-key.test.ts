import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { appKey } from "./app-runtime.ts";

test("two names of one hooks file have one key, and it stays when the file is removed", async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "hookline-key-")));
  await mkdir(join(folder, "real"));
  await writeFile(join(folder, "real", "hooks.mjs"), "");
  await symlink(join(folder, "real"), join(folder, "link"));
  const key = appKey(join(folder, "real", "hooks.mjs"));
  expect(key).toMatch(/^[0-9a-f]{32}$/);
  expect(appKey(join(folder, "link", "hooks.mjs"))).toBe(key);
  expect(appKey(join(folder, "real", "other.mjs"))).not.toBe(key);
  await rm(join(folder, "real", "hooks.mjs"));
  expect(appKey(join(folder, "link", "hooks.mjs"))).toBe(key);
});
