import fc from "fast-check";
import { expect, test } from "vitest";
import { hostile } from "./fixtures/hostile.ts";
import { plainLine, plainText } from "./plain-text.ts";

test("control sequences go, what they were wrapped around stays", () => {
  expect(
    plainText("\u001b]0;title\u0007a\u001b[31mred\u001b[0m b\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\"),
  ).toBe("ared blink");
  expect(plainText("\u001bP1$qm\u001b\\a\u009b2Jb\u009d0;x\u009cc\u001b(Bd\u001bce")).toBe("abcde");
  expect(plainText("\u001b]52;c;never ends")).toBe("]52;c;never ends".replace("]", ""));
  expect(plainText("tab\tline\nwin\r\nbell\u0007nul\u0000del\u007f")).toBe("tab\tline\nwin\nbellnuldel");
  expect(plainText("\u202eabc\u2066d\u2069\u200f\u061c")).toBe("abcd");
  expect(plainLine("  a\n\tb\u2028c  ")).toBe("a b c");
});

test("nothing that moves a cursor or turns the writing is left of any text", () => {
  const left = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
  for (const text of hostile) expect(plainText(text)).not.toMatch(left);
  const piece = fc.constantFrom(
    "\u001b",
    "[",
    "]",
    "0;",
    "\u0007",
    "\u009b",
    "P",
    "\\",
    "m",
    "x",
    "\u202e",
    "\u009c",
    "8;;",
    "\r",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      expect(plainText(pieces.join(""))).not.toMatch(left);
    }),
    { numRuns: 500 },
  );
});
