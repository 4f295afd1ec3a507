import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readLockFile } from "./install-record.ts";

test("a pipe in place of the lock file does not block status or doctor", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-lock-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, ".hookline.lock");
  expect(await readLockFile(path)).toBe(undefined);
  execFileSync("mkfifo", [path]);
  await expect(readLockFile(path)).rejects.toMatchObject({ code: "install/bad-lock" });
});
