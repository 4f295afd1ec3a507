import fc from "fast-check";
import { expect, test } from "vitest";
import { setField } from "./edit-line.ts";

function edited(line: string, key: string, value: unknown): string {
  return setField(Buffer.from(line), key, value).toString("utf8");
}

test("one field changes and every other byte stays", () => {
  expect(edited('{"a":1,"sessionId":"x","n":12345678901234567890}', "sessionId", "y")).toBe(
    '{"a":1,"sessionId":"y","n":12345678901234567890}',
  );
  expect(edited('{ "a" : {"sessionId":"in"} , "sessionId" : null }', "sessionId", "y")).toBe(
    '{ "a" : {"sessionId":"in"} , "sessionId" : "y" }',
  );
  expect(edited('{"a\\"":"}{","\\u0062":[1,{"b":2}],"c":true}', "b", 3)).toBe('{"a\\"":"}{","\\u0062":3,"c":true}');
});

test("a missing field is added at the front, and of a repeated one the last is changed", () => {
  expect(edited('{"a":1}', "b", null)).toBe('{"b":null,"a":1}');
  expect(edited("{}", "b", 1)).toBe('{"b":1}');
  expect(edited('{"b":1,"b":2}', "b", 3)).toBe('{"b":1,"b":3}');
});

test("any object with one field set reads as that object", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.string(),
      fc.jsonValue(),
      fc.boolean(),
      (object, key, value, wide) => {
        const line = JSON.stringify(object, null, wide ? 1 : 0).replaceAll("\n", " ");
        const parsed = JSON.parse(edited(line, key, value)) as Record<string, unknown>;
        const expected = JSON.parse(line) as Record<string, unknown>;
        Object.defineProperty(expected, key, {
          value: JSON.parse(JSON.stringify(value)),
          enumerable: true,
          configurable: true,
          writable: true,
        });
        expect(parsed).toEqual(expected);
      },
    ),
    { numRuns: 500 },
  );
});
