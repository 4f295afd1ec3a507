import fc from "fast-check";
import { type ParseError, parse } from "jsonc-parser";
import { expect, test } from "vitest";
import { parseJsonc, plainValue } from "./jsonc.ts";

function read(text: string): unknown {
  const parsed = parseJsonc(text);
  return "fault" in parsed ? parsed.fault : plainValue(parsed.tree);
}

test("comments, trailing commas and a BOM are accepted", () => {
  const text =
    '\ufeff// first\r\n{ /* a */ "a": [1, 2.5e3, -0,], // b\n"b": {"c": null, "d": "\\u00e9\\n",},\t"e": true, }\n// last';
  expect(read(text)).toEqual({ a: [1, 2500, -0], b: { c: null, d: "é\n" }, e: true });
});

test.each([
  ["", { line: 1, column: 1, why: "expected a value, found the end of the file" }],
  ["{\n  'a': 1\n}", { line: 2, column: 3, why: 'expected a key in double quotes, found "\'"' }],
  ['{"a" 1}', { line: 1, column: 6, why: 'expected ":", found "1"' }],
  ['{"a": 1 "b": 2}', { line: 1, column: 9, why: 'expected "," or "}", found "\\""' }],
  ['{"a": 1,\r\n  "a": 2}', { line: 2, column: 3, why: 'the key "a" is a duplicate' }],
  ["[1,,2]", { line: 1, column: 4, why: 'expected a value, found ","' }],
  ["[,]", { line: 1, column: 2, why: 'expected a value, found ","' }],
  ['{"a": "x\n"}', { line: 1, column: 7, why: "a text without its closing quote" }],
  ["{} x", { line: 1, column: 4, why: '"x" behind the end of the value' }],
  ["[01]", { line: 1, column: 2, why: 'expected a value, found "0"' }],
  ["[truex]", { line: 1, column: 2, why: 'expected a value, found "t"' }],
  ["{ /* a", { line: 1, column: 3, why: "a comment without its end" }],
  ["{", { line: 1, column: 2, why: "expected a key in double quotes, found the end of the file" }],
])("%j is refused with the position", (text, fault) => {
  expect(read(text)).toEqual(fault);
});

test("a depth of 10,000 and a text of ten million brackets are faults, not crashes", () => {
  expect(read("[".repeat(10_000))).toMatchObject({ why: "nested more than 200 deep" });
  expect(read('{"a":'.repeat(10_000_000))).toMatchObject({ line: 1, why: "nested more than 200 deep" });
});

test("megabytes of blanks, comments or one text are read", () => {
  const big = 5_000_000;
  expect(read(`{${" ".repeat(big)}}`)).toEqual({});
  expect(read(`{${"//\n".repeat(big / 4)}}`)).toEqual({});
  expect(read(`{/*${"*".repeat(big)}*/}`)).toEqual({});
  expect(read(`["${"x".repeat(big)}"]`)).toEqual(["x".repeat(big)]);
});

test("the keys of prototypes are keys like any other", () => {
  const value = read('{"__proto__": {"x": 1}, "constructor": {"prototype": {"x": 1}}, "toString": 1}');
  expect(Object.keys(value as object)).toEqual(["__proto__", "constructor", "toString"]);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
});

test("plain JSON reads as JSON.parse reads it", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(read(text)).toEqual(JSON.parse(text));
    }),
    { numRuns: 300 },
  );
});

test("any text is accepted and read as by jsonc-parser, except duplicate keys", () => {
  const bits = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"a"',
    '"b"',
    "1",
    "-2.5",
    "true",
    "null",
    " ",
    "\n",
    "// c\n",
    "/* c */",
    '"',
    "\\",
    "x",
    "/",
  );
  fc.assert(
    fc.property(fc.array(bits, { maxLength: 14 }), (parts) => {
      const text = parts.join("");
      const errors: ParseError[] = [];
      const other = parse(text, errors, { allowTrailingComma: true });
      const parsed = parseJsonc(text);
      if ("tree" in parsed) expect([plainValue(parsed.tree), errors]).toEqual([other, []]);
      else if (errors.length === 0) expect(parsed.fault.why).toMatch(/second time/);
    }),
    { numRuns: 3_000 },
  );
});
