import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { machineError } from "./machine-error.ts";

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

test("what a file system refuses is told with the way out, and not as a bug of ours", () => {
  const refused = thrownBy(() => readFileSync("/dev/null/x"));
  expect(machineError(refused)).toBe(
    "ENOTDIR: not a directory, open '/dev/null/x'. A part of that path is no folder: move it away.",
  );
  expect(machineError(thrownBy(() => readFileSync("/none/here")))).toBeUndefined();
  expect(machineError(Object.assign(new Error("no"), { code: "EACCES" }))).toBeUndefined();
  expect(machineError(new TypeError("ours"))).toBeUndefined();
});
