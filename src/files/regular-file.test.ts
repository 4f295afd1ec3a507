import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readRegularFile } from "./internal.ts";

test("a file is read through a link; a pipe, a device and a folder are errors at once", () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-ordinary-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const at = (name: string) => join(folder, name);
  writeFileSync(at("file"), "text");
  symlinkSync("file", at("link"));
  execFileSync("mkfifo", [at("pipe")]);
  expect(readRegularFile(at("link")).toString()).toBe("text");
  for (const path of [at("pipe"), "/dev/zero"]) {
    expect(() => readRegularFile(path)).toThrow(expect.objectContaining({ code: "file/not-ours" }));
  }
  expect(() => readRegularFile(folder)).toThrow("EISDIR");
  expect(() => readRegularFile(at("none"))).toThrow("ENOENT");
});
