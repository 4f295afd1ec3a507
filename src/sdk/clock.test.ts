import fc from "fast-check";
import { expect, test } from "vitest";
import { isoTime } from "./clock.ts";

test("a time is spelled as the engine spells it", () => {
  const last = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
  const odd = [
    "2000-02-29T00:00:00.000Z",
    "2100-03-01T00:00:00.000Z",
    "2023-12-31T23:59:59.999Z",
    "1970-01-01T00:00:00.000Z",
  ];
  expect(odd.map((text) => isoTime(Date.parse(text)))).toEqual(odd);
  fc.assert(fc.property(fc.integer({ min: 0, max: last }), (ms) => isoTime(ms) === new Date(ms).toISOString()));
});
