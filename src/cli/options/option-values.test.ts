import { afterEach, expect, test } from "vitest";
import { pointInTime } from "./option-values.ts";

function since(text: string): number | undefined {
  return pointInTime({ operands: [], flag: () => false, text: () => text, texts: () => [text] }, "since");
}

const zone = process.env["TZ"];
afterEach(() => {
  if (zone === undefined) delete process.env["TZ"];
  else process.env["TZ"] = zone;
});

test.each([
  ["Asia/Tokyo", "2026-01-30T15:00:00.000Z"],
  ["America/Los_Angeles", "2026-01-31T08:00:00.000Z"],
  ["UTC", "2026-01-31T00:00:00.000Z"],
])("a day in --since begins at its midnight in %s", (here, begins) => {
  process.env["TZ"] = here;
  expect(new Date(since("2026-01-31") ?? 0).toISOString()).toBe(begins);
  expect(new Date(since("2026-01-31T12:00:00Z") ?? 0).toISOString()).toBe("2026-01-31T12:00:00.000Z");
});

test.each(["2026-02-30", "2026-02-30T12:00", "2026-13-01", "2026-00-10", "2026-01-31x", "soon"])(
  "--since %s is refused",
  (text) => {
    expect(() => since(text)).toThrow(`"${text}" is not a valid time. Use 2026-01-31, `);
  },
);
