import { expect, expectTypeOf, test } from "vitest";
import { defined, fieldOf, groupBy, parseJson, parseObject } from "./objects.ts";

test("a text that is not valid JSON has no value, and no object", () => {
  expect([parseJson("{"), parseJson("5"), parseObject("5"), parseObject("[]"), parseObject('{"a":1}')]).toEqual([
    undefined,
    5,
    undefined,
    undefined,
    { a: 1 },
  ]);
});

test("a field is read from objects alone", () => {
  expect([fieldOf({ a: 1 }, "a"), fieldOf([1], "0"), fieldOf(null, "a")]).toEqual([1, undefined, undefined]);
});

test("keys without a value are left out, and their type is optional", () => {
  const given: { a: number; b: string | undefined } = { a: 1, b: undefined };
  const result = defined(given);
  expect(Object.keys(result)).toEqual(["a"]);
  expectTypeOf(result).toExtend<{ a: number; b?: string }>();
});

test("groups keep the order of their first item", () => {
  expect([...groupBy([3, 1, 4, 2], (n) => n % 2)]).toEqual([
    [1, [3, 1]],
    [0, [4, 2]],
  ]);
});
