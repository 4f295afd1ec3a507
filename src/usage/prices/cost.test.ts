import fc from "fast-check";
import { expect, test } from "vitest";
import { answer, reportOf } from "../fixtures/world.ts";
import { openPrices } from "../internal.ts";
import { type BilledTokens, costOf } from "./cost.ts";
import { type PriceRow, type Prices, usdToMicro } from "./price-rows.ts";

const table = openPrices();

/** The rule in its plainest form, in whole numbers of any size. */
function exact(row: PriceRow, bought: BilledTokens): number {
  const fast = bought.fast && row.fast !== undefined;
  const step = row.steps.findLast(({ over }) => bought.prompt > over)?.prices ?? row.prices;
  const prices = fast ? (row.fast as Prices) : step;
  const pico =
    BigInt(bought.input) * BigInt(prices.input) +
    BigInt(bought.output) * BigInt(prices.output) +
    BigInt(bought.cacheWrite5m) * BigInt(prices.write5m) +
    BigInt(bought.cacheWrite1h) * BigInt(prices.write1h) +
    BigInt(bought.cacheRead) * BigInt(prices.cacheRead);
  const halves = bought.batch && !fast ? 1n : 2n;
  const tenths = bought.us && row.usSurcharge ? 11n : 10n;
  const twentieths = pico * halves * tenths + BigInt(bought.webSearches) * BigInt(row.perSearchPico) * 20n;
  return Number((twentieths + 10_000_000n) / 20_000_000n);
}

test("a cost is computed exactly and rounded once, half up, whatever the amounts", () => {
  const count = fc.oneof(fc.nat(1_000), fc.nat(2_000_000), fc.maxSafeNat());
  const bought = fc.record({
    input: count,
    output: count,
    cacheWrite5m: count,
    cacheWrite1h: count,
    cacheRead: count,
    webSearches: fc.nat(1000),
    prompt: fc.nat(400_000),
    fast: fc.boolean(),
    batch: fc.boolean(),
    us: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.constantFrom(...table.rows), bought, (row, what) => {
      expect(costOf(row, what)).toBe(exact(row, what));
    }),
    { numRuns: 2000 },
  );
});

test("a written cost becomes micro-dollars by its decimal digits, half up", () => {
  expect([0.0000005, 0.00000049, 0.123456, 1.1, 4.35, 1e-9, 0, -1, Number.NaN, 12345.6789005].map(usdToMicro)).toEqual([
    1, 0, 123_456, 1_100_000, 4_350_000, 0, 0, 0, 0, 12_345_678_901,
  ]);
});

test("each cost mode gives its own cost", async () => {
  const lines = [
    answer({ more: { costUSD: 0.5 } }),
    answer({ id: "msg_2", request: "req_2" }),
    answer({ id: "msg_3", request: "req_3", model: "acme-coder-1", more: { costUSD: 0.25 } }),
  ];
  const costs = async (mode: "auto" | "calculate" | "display") => {
    const { totals, warnings } = await reportOf(lines, { mode });
    return [totals.costMicroUsd, totals.complete, warnings.map(({ code, count }) => `${code} ${count}`)];
  };
  expect(await costs("auto")).toEqual([752_550, true, []]);
  expect(await costs("calculate")).toEqual([5_100, false, ["unpriced-model 1"]]);
  expect(await costs("display")).toEqual([750_000, false, ["unwritten-cost 1"]]);
});
