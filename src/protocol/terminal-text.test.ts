import fc from "fast-check";
import { expect, test } from "vitest";
import { hostile } from "../sessions/fixtures/hostile.ts";
import { plainLine, plainText, stripControl } from "./terminal-text.ts";

test("control sequences are removed, and the text around which they were wrapped stays", () => {
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

test.each([
  ["plain\ttext\nin lines", "plain\ttext\nin lines"],
  ["\x1b[31mred\x1b[0m", "red"],
  ["\x1b[2J\x1b[1;1Hgone", "gone"],
  ["\x9b2Jgone", "gone"],
  ["\x1b]0;title\x07text", "text"],
  ["\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\", "link"],
  ["\x1b]52;c;ZXZpbA==\x07text", "text"],
  ["\x9d0;title\x9ctext", "text"],
  ["\x1bPq#0\x1b\\text", "text"],
  ["\x90q#0\x9ctext", "text"],
  ["\x1b_apc\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\text", "text"],
  ["\x1b]0;never ended, so shown", "0;never ended, so shown"],
  ["\x1bcreset\x1b(0charset\x1b7", "resetcharset"],
  ["\x1b\x1b[2J[2Jtwice", "[2Jtwice"],
  ["bell\x07 back\x08 nul\0 del\x7f c1\x85", "bell back nul del c1"],
  ["over\rwritten\r\nline", "over\nwritten\nline"],
  ["a\u202eb\u2066c\u2069\u200ed\u200f\u061ce", "abcde"],
  ["emoji 👩\u200d💻 stays", "emoji 👩\u200d💻 stays"],
  ["\x1b", ""],
])("%j is shown as %j", (text, shown) => {
  expect(stripControl(text)).toBe(shown);
});

test("no text keeps a control character, and stripping twice is stripping once", () => {
  const nasty = fc.string({
    unit: fc.constantFrom("\x1b", "[", "]", "P", "\\", "\x07", "\x9b", "\x9c", "2", "J", ";", "a", "\r", "\u202e"),
  });
  fc.assert(
    fc.property(nasty, (text) => {
      const shown = stripControl(text);
      expect(shown).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
      expect(stripControl(shown)).toBe(shown);
    }),
    { numRuns: 300 },
  );
});

test("a megabyte of unfinished sequences is stripped in one go", () => {
  const text = "\x1b]0;a\x9d\x1bP\x9b1".repeat(100_000);
  expect(stripControl(text)).toBe("0;a1".repeat(100_000));
});
