import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readOrdinary } from "./internal.ts";

test("a file is read through a link; a pipe, a device and a folder are errors at once", () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-ordinary-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const at = (name: string) => join(folder, name);
  writeFileSync(at("file"), "text");
  symlinkSync("file", at("link"));
  execFileSync("mkfifo", [at("pipe")]);
  expect(readOrdinary(at("link")).toString()).toBe("text");
  for (const path of [at("pipe"), "/dev/zero"]) {
    expect(() => readOrdinary(path)).toThrow(expect.objectContaining({ code: "file/not-ours" }));
  }
  expect(() => readOrdinary(folder)).toThrow("EISDIR");
  expect(() => readOrdinary(at("none"))).toThrow("ENOENT");
});
