import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { systemErrorMessage } from "../protocol/internal.ts";

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

test("an error of the file system is printed with advice, not as a bug", () => {
  const refused = thrownBy(() => readFileSync("/dev/null/x"));
  expect(systemErrorMessage(refused)).toBe(
    "ENOTDIR: not a directory, open '/dev/null/x'. A component of the path is not a directory. Move it away.",
  );
  expect(systemErrorMessage(thrownBy(() => readFileSync("/none/here")))).toBeUndefined();
  expect(systemErrorMessage(Object.assign(new Error("no"), { code: "EACCES" }))).toBeUndefined();
  expect(systemErrorMessage(new TypeError("ours"))).toBeUndefined();
});
