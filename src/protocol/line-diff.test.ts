import fc from "fast-check";
import { expect, test } from "vitest";
import { type Hunk, patchOf } from "./line-diff.ts";

test("hunks are those of the measured version of Claude Code", () => {
  const twelve = Array.from({ length: 12 }, (_, n) => `l${n + 1}\n`).join("");
  expect(patchOf("", "created by edit\n")).toEqual([
    { oldStart: 1, oldLines: 0, newStart: 1, newLines: 1, lines: ["+created by edit"] },
  ]);
  expect(patchOf(twelve, twelve.replace("l2\n", ""))).toEqual([
    { oldStart: 1, oldLines: 5, newStart: 1, newLines: 4, lines: [" l1", "-l2", " l3", " l4", " l5"] },
  ]);
  const without = twelve.replace("l2\n", "");
  expect(patchOf(without, without.replace("l11", "L11\nadded"))).toEqual([
    {
      oldStart: 7,
      oldLines: 5,
      newStart: 7,
      newLines: 6,
      lines: [" l8", " l9", " l10", "-l11", "+L11", "+added", " l12"],
    },
  ]);
  const end = "\\ No newline at end of file";
  expect(patchOf("no newline", "x")).toEqual([
    { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-no newline", end, "+x", end] },
  ]);
  expect(patchOf("a\n", "a")).toEqual([
    { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-a", "+a", end] },
  ]);
});

test("changes far apart are hunks of their own", () => {
  const lines = Array.from({ length: 30 }, (_, n) => `${n}`);
  const after = lines.with(2, "x").with(25, "y");
  expect(patchOf(lines.join("\n"), after.join("\n")).map(({ oldStart }) => oldStart)).toEqual([1, 23]);
});

test("a patch applied to the old text gives the new text, whatever the texts", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 30 }).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(applied(before, patchOf(before, after))).toEqual(linesOf(after));
    }),
    { numRuns: 300 },
  );
});

test("two large texts without a common line are one change, found at once", () => {
  const many = (word: string) => Array.from({ length: 20_000 }, (_, n) => `${word}${n}`).join("\n");
  expect(patchOf(many("a"), many("b")).map(({ lines }) => lines.length)).toEqual([40_002]);
});

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function applied(before: string, hunks: readonly Hunk[]): string[] {
  const old = linesOf(before);
  const result: string[] = [];
  let at = 0;
  for (const { oldStart, oldLines, newStart, newLines, lines } of hunks) {
    result.push(...old.slice(at, oldStart - 1));
    expect(result.length).toBe(newStart - 1);
    const body = lines.filter((line) => !line.startsWith("\\"));
    expect(body.filter((line) => !line.startsWith("+")).map((line) => line.slice(1))).toEqual(
      old.slice(oldStart - 1, oldStart - 1 + oldLines),
    );
    const fresh = body.filter((line) => !line.startsWith("-")).map((line) => line.slice(1));
    expect(fresh.length).toBe(newLines);
    result.push(...fresh);
    at = oldStart - 1 + oldLines;
  }
  return [...result, ...old.slice(at)];
}
