import fc from "fast-check";
import { expect, test } from "vitest";
import { diffLines } from "./diff.ts";

const shown = (before: string, after: string, around?: number): readonly string[] =>
  diffLines(before, after, around).map(({ mark, text }) => mark + text);

test("equal texts have no difference", () => {
  expect(shown("a\nb\n", "a\nb\n")).toEqual([]);
});

test("what differs is shown with the lines around it", () => {
  expect(shown("1\n2\n3\n4\n5\n6\n7\n", "1\n2\n3\nx\n5\n6\n7\n", 1)).toEqual([" 3", "-4", "+x", " 5"]);
  expect(shown("", "new\n")).toEqual(["+new"]);
  expect(shown("a\n", "a")).toEqual(["-a", "+a (no newline at end of file)"]);
});

test("taking out and putting in what is marked turns one text into the other", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 }).map((lines) => `${lines.join("\n")}\n`);
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after, 100);
      if (before === after) return lines.length === 0;
      const side = (mark: "+" | "-") =>
        `${lines.flatMap((line) => (line.mark === " " || line.mark === mark ? [line.text] : [])).join("\n")}\n`;
      return side("-") === before && side("+") === after;
    }),
    { numRuns: 200 },
  );
});

test("texts too long to compare line by line are shown whole", () => {
  const many = (word: string) => `${Array.from({ length: 3_000 }, (_, index) => `${word}${index}`).join("\n")}\n`;
  expect(diffLines(many("a"), many("b"))).toHaveLength(6_000);
});
