import { expect, test } from "vitest";
import { messageOf } from "./problem.ts";

test("whatever was thrown has a message", () => {
  const hostile = {
    toString() {
      throw new Error("hidden");
    },
  };
  const thrown = [new Error("a"), new TypeError(), "text", undefined, Symbol("s"), Object.create(null), hostile];
  expect(thrown.map(messageOf)).toEqual([
    "a",
    "TypeError",
    "text",
    "undefined",
    "Symbol(s)",
    "something that cannot be printed",
    "something that cannot be printed",
  ]);
  expect(messageOf("x".repeat(5_000))).toBe(`${"x".repeat(2_000)}…`);
});
