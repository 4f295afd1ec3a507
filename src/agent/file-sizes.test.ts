import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const lines = (file: string): number =>
  readFileSync(join(import.meta.dirname, file), "utf8")
    .trimEnd()
    .split("\n").length;

test("the loop has at most 250 lines, and with its parts at most 600", () => {
  const own = ["turn/loop.ts", "turn/call-tool.ts", "turn/stop.ts", "turn/compact.ts"];
  expect(lines("turn/loop.ts")).toBeLessThanOrEqual(250);
  expect(own.reduce((sum, file) => sum + lines(file), 0)).toBeLessThanOrEqual(600);
});

test("no file of the folder is longer than 250 lines", () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" });
  const sources = files.filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
  expect(sources.filter((file) => lines(file) > 250)).toEqual([]);
});
