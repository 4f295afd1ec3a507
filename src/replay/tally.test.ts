import fc from "fast-check";
import { expect, test } from "vitest";
import { openDurations } from "./tally.ts";

test("an empty histogram has no median and no maximum", () => {
  const times = openDurations();
  expect([times.at(0.5), times.max]).toEqual([undefined, undefined]);
});

test("median and p95 are within 2 % of the exact values, and the maximum is exact", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0.01, max: 60_000, noNaN: true }), { minLength: 1 }), (list) => {
      const times = openDurations();
      for (const ms of list) times.add(ms);
      const sorted = list.toSorted((a, b) => a - b);
      for (const share of [0.5, 0.95]) {
        const exact = sorted[Math.ceil(list.length * share) - 1] ?? 0;
        expect(Math.abs((times.at(share) ?? 0) - exact) / exact).toBeLessThan(0.02);
      }
      expect(times.max).toBe(sorted.at(-1));
    }),
    { numRuns: 100 },
  );
});
