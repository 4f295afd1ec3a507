import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callHookline } from "../fixtures/caller.ts";

test("a missing hooks file is reported with advice", async () => {
  const home = mkdtempSync(join(tmpdir(), "serve-"));
  const err = "hookline: The hooks file nothing.ts does not exist. Create one with hookline init.\n";
  expect(await callHookline(["serve", "nothing.ts"], { home, env: { HOME: home } })).toEqual({
    status: 1,
    out: "",
    err,
  });
});

test("serve rejects a missing file, a bad number and conflicting options at once", async () => {
  const home = mkdtempSync(join(tmpdir(), "serve-"));
  const call = async (...words: string[]) => {
    const { status, out, err } = await callHookline(["serve", ...words], { home, env: { HOME: home } });
    return [status, out + err];
  };
  const file = join(home, "hooks.mjs");
  // A daemon may outlive its file.
  expect(await call(file, "--stop")).toEqual([0, `no daemon is running for ${file}\n`]);
  expect(await call(file, "--status")).toEqual([4, `no daemon is running for ${file}\n`]);
  expect(await call(home)).toEqual([1, expect.stringContaining("does not exist. Create one with hookline init.")]);
  writeFileSync(file, "");
  expect(await call(file, "--idle-minutes", "x")).toEqual([1, expect.stringContaining('not "x"')]);
  expect(await call(file, "--stop", "--status")).toEqual([1, expect.stringContaining("cannot be used together")]);
});
