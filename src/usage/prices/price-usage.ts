import type { Call } from "../../sessions/index.ts";
import { readUsageObject } from "../calls/read-usage.ts";
import { emptyRecord } from "../calls/usage-record.ts";
import { boughtPart, costOf, microUsd } from "./cost.ts";
import { openPrices, type PriceTable } from "./price-table.ts";

/** One answer and what its endpoint said it took. */
export interface PricedUsage {
  readonly model: string;
  /** Milliseconds; the newest prices when nothing dates it. */
  readonly at?: number | undefined;
  readonly usage: Readonly<Record<string, unknown>>;
}

/** Micro-dollars of one answer, parts of other models included; undefined when one of its models has no price at that time. */
export function priceUsage({ model, at, usage }: PricedUsage, prices: PriceTable = openPrices()): number | undefined {
  const record = emptyRecord();
  readUsageObject(usage, model, record);
  const parts = record.parts.map((part) => boughtPart(part, record));
  let total = 0;
  for (const bought of [{ ...record, model }, ...parts]) {
    const row = prices.rowAt(bought.model, at ?? Number.MAX_SAFE_INTEGER);
    if (row === undefined) return undefined;
    total += costOf(row, bought);
  }
  return total;
}

/**
 * A price function for `session.stats({ price })`: the cost an older client wrote beside a call, else calculated.
 */
export function priceOf(prices: PriceTable = openPrices()): (call: Call) => number | undefined {
  return ({ timestamp, counted }) => {
    if (counted.costUsd !== undefined) return microUsd(counted.costUsd);
    const at = Date.parse(timestamp ?? "");
    const usage = counted.usage ?? {};
    return priceUsage({ model: counted.model ?? "", usage, ...(Number.isNaN(at) ? {} : { at }) }, prices);
  };
}
