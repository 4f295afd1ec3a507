import type { ModelCall, Tokens } from "../../sessions/internal.ts";
import { type CountedUsage, promptTokens, type RecordPart, readUsageObject } from "../calls/usage-record.ts";
import { type PriceRow, type Prices, usdToMicro } from "./price-rows.ts";
import { openPrices, type PriceTable } from "./price-table.ts";

/** What is paid for: a call, or one of its parts. */
export type BilledTokens = Omit<Tokens, "thinking"> & Pick<CountedUsage, "prompt" | "fast" | "batch" | "us">;

/** A part has its own prompt; batch and region are those of the call. */
export function billedPart(
  part: RecordPart,
  { batch, us }: Pick<BilledTokens, "batch" | "us">,
): RecordPart & BilledTokens {
  return { ...part, prompt: promptTokens(part), batch, us };
}

/**
 * Integer micro-dollars, computed exactly and rounded once, half up. Counted in two-hundredths of a pico-dollar, so that half
 * a price and eleven tenths of it are whole numbers too. Factors do not apply to fees for searches.
 */
export function costOf(row: PriceRow, bought: BilledTokens): number {
  const fast = bought.fast && row.fast !== undefined;
  const prices = fast ? row.fast : (row.steps.findLast((step) => bought.prompt > step.over)?.prices ?? row.prices);
  const factor = (bought.batch && !fast ? 10 : 20) * (bought.us && row.usSurcharge ? 11 : 10);
  const tokens = tokenPico(prices, bought);
  const fees = bought.webSearches * row.perSearchPico;
  if (tokens < maxPlain && fees < maxPlain) {
    return Math.floor((tokens * factor + fees * 200 + 100_000_000) / 200_000_000);
  }
  return costOfMany(prices, bought, BigInt(factor), BigInt(row.perSearchPico));
}

/** Below this, every product and sum here stays under 2^53. */
const maxPlain = 2 ** 53 / 500;

function tokenPico(prices: Prices, bought: BilledTokens): number {
  return (
    bought.input * prices.input +
    bought.cacheWrite5m * prices.write5m +
    bought.cacheWrite1h * prices.write1h +
    bought.cacheRead * prices.cacheRead +
    bought.output * prices.output
  );
}

/** The same for amounts that are larger than any real call but that a line may contain. */
function costOfMany(prices: Prices, bought: BilledTokens, factor: bigint, perSearch: bigint): number {
  const tokens =
    BigInt(bought.input) * BigInt(prices.input) +
    BigInt(bought.cacheWrite5m) * BigInt(prices.write5m) +
    BigInt(bought.cacheWrite1h) * BigInt(prices.write1h) +
    BigInt(bought.cacheRead) * BigInt(prices.cacheRead) +
    BigInt(bought.output) * BigInt(prices.output);
  const all = tokens * factor + BigInt(bought.webSearches) * perSearch * 200n;
  return Number((all + 100_000_000n) / 200_000_000n);
}

/** One answer and the usage object of its endpoint. */
interface PricedUsage {
  readonly model: string;
  /** Milliseconds. Default: the newest prices. */
  readonly at?: number | undefined;
  readonly usage: Readonly<Record<string, unknown>>;
}

/** Micro-dollars of one answer, parts of other models included; undefined when one of its models has no price at that time. */
export function priceUsage({ model, at, usage }: PricedUsage, prices: PriceTable = openPrices()): number | undefined {
  const counted = readUsageObject(usage, model);
  let total = 0;
  for (const bought of [{ ...counted, model }, ...counted.parts.map((part) => billedPart(part, counted))]) {
    const row = prices.rowAt(bought.model, at ?? Number.MAX_SAFE_INTEGER);
    if (row === undefined) return undefined;
    total += costOf(row, bought);
  }
  return total;
}

/**
 * A price function for `session.stats({ price })`: micro-dollars of one call. A cost that an older version of Claude Code wrote next to
 * the call counts as it is. Prices in `pricesFile` come before those of the package.
 */
export function priceOf(pricesFile?: string): (call: ModelCall) => number | undefined {
  const prices = openPrices(pricesFile);
  return ({ timestamp, counted }) => {
    if (counted.costUsd !== undefined) return usdToMicro(counted.costUsd);
    const time = Date.parse(timestamp ?? "");
    const at = Number.isNaN(time) ? undefined : time;
    return priceUsage({ model: counted.model ?? "", at, usage: counted.usage ?? {} }, prices);
  };
}
