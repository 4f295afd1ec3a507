import { type Rollups, sumColumn } from "../calls/rollups.ts";

/** What every row and every total holds. */
export interface Amounts {
  readonly calls: number;
  /** Of these, answers that were cut off: their output counts as far as it was written. */
  readonly openCalls: number;
  readonly apiErrors: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** A part of the output. */
  readonly thinkingTokens: number;
  readonly cacheWrite5mTokens: number;
  readonly cacheWrite1hTokens: number;
  readonly cacheReadTokens: number;
  readonly webSearches: number;
  readonly costMicroUsd: number;
  /** False when something is left out, because a price or a count is missing or a transcript cannot be read: the cost is "at least". */
  readonly complete: boolean;
}

/** `auto`: the cost that an older version of Claude Code wrote with a call, else calculated. `display`: only what was written. */
export type CostMode = "auto" | "calculate" | "display";

export function amountsOf({ sums }: Rollups, rows: readonly number[], mode: CostMode): Amounts {
  const total = (column: number): number => rows.reduce((all, at) => all + (sums[at + column] as number), 0);
  const cost = costPlace(mode);
  return {
    calls: total(sumColumn.calls),
    openCalls: total(sumColumn.openCalls),
    apiErrors: total(sumColumn.apiErrors),
    inputTokens: total(sumColumn.input),
    outputTokens: total(sumColumn.output),
    thinkingTokens: total(sumColumn.thinking),
    cacheWrite5mTokens: total(sumColumn.cacheWrite5m),
    cacheWrite1hTokens: total(sumColumn.cacheWrite1h),
    cacheReadTokens: total(sumColumn.cacheRead),
    webSearches: total(sumColumn.webSearches),
    costMicroUsd: total(cost),
    complete: total(cost + 1) === 0 && total(sumColumn.odd) === 0,
  };
}

/** Where a rollup holds the cost in this mode; behind it, how many parts of calls it leaves out. */
export function costPlace(mode: CostMode): number {
  if (mode === "calculate") return sumColumn.costCalculated;
  return mode === "display" ? sumColumn.costWritten : sumColumn.costAuto;
}

/** All tokens, of every class. */
export function tokensIn(amounts: Amounts): number {
  const { inputTokens, outputTokens, cacheWrite5mTokens, cacheWrite1hTokens, cacheReadTokens } = amounts;
  return inputTokens + outputTokens + cacheWrite5mTokens + cacheWrite1hTokens + cacheReadTokens;
}

/** The first and the last call of a row, as ISO times; absent when nothing dates them. */
export interface CallTimes {
  readonly firstAt?: string;
  readonly lastAt?: string;
}

export function timesOf({ sums }: Rollups, rows: readonly number[]): CallTimes {
  let first = Infinity;
  let last = -Infinity;
  // A comparison with NaN is false.
  for (const at of rows) {
    const from = sums[at + sumColumn.firstAt] as number;
    const to = sums[at + sumColumn.lastAt] as number;
    if (from < first) first = from;
    if (to > last) last = to;
  }
  return first === Infinity ? {} : { firstAt: new Date(first).toISOString(), lastAt: new Date(last).toISOString() };
}
