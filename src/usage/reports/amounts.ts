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
  /** False when calls are left out, for want of a price or because a transcript cannot be read: the cost is "at least". */
  readonly complete: boolean;
}

/** `auto`: the cost an older client wrote beside a call, else calculated. `display`: only what was written. */
export type CostMode = "auto" | "calculate" | "display";

/** Amounts that grow. */
export interface Adder {
  /** Adds the rollup that begins at `at`. */
  add(sums: Float64Array, at: number): void;
  amounts(): Amounts;
}

export function adder(mode: CostMode): Adder {
  const cost = costPlace(mode);
  const into = new Float64Array(sumColumn.size);
  return {
    add(sums, at) {
      for (let place = sumColumn.calls; place < sumColumn.size; place++) {
        into[place] = (into[place] as number) + (sums[at + place] as number);
      }
    },
    amounts: () => ({
      calls: into[sumColumn.calls] as number,
      openCalls: into[sumColumn.openCalls] as number,
      apiErrors: into[sumColumn.apiErrors] as number,
      inputTokens: into[sumColumn.input] as number,
      outputTokens: into[sumColumn.output] as number,
      thinkingTokens: into[sumColumn.thinking] as number,
      cacheWrite5mTokens: into[sumColumn.cacheWrite5m] as number,
      cacheWrite1hTokens: into[sumColumn.cacheWrite1h] as number,
      cacheReadTokens: into[sumColumn.cacheRead] as number,
      webSearches: into[sumColumn.webSearches] as number,
      costMicroUsd: into[cost] as number,
      complete: into[cost + 1] === 0,
    }),
  };
}

/** Where a rollup holds the cost in this mode; behind it, how many parts of calls it leaves out. */
export function costPlace(mode: CostMode): number {
  if (mode === "calculate") return sumColumn.costCalculated;
  return mode === "display" ? sumColumn.costWritten : sumColumn.costAuto;
}

/** All tokens, of every class. */
export function tokensIn(amounts: Amounts): number {
  return (
    amounts.inputTokens +
    amounts.outputTokens +
    amounts.cacheWrite5mTokens +
    amounts.cacheWrite1hTokens +
    amounts.cacheReadTokens
  );
}

export function amountsOf(rollups: Rollups, rows: readonly number[], mode: CostMode): Amounts {
  const all = adder(mode);
  for (const at of rows) all.add(rollups.sums, at);
  return all.amounts();
}

/** The first and the last call among rollups, as ISO times; absent when nothing dates them. */
export function timesOf(
  { sums }: Rollups,
  rows: readonly number[],
): { readonly firstAt?: string; readonly lastAt?: string } {
  let first = Infinity;
  let last = -Infinity;
  for (const at of rows) {
    const from = sums[at + sumColumn.firstAt] as number;
    const to = sums[at + sumColumn.lastAt] as number;
    if (from < first) first = from;
    if (to > last) last = to;
  }
  return first === Infinity ? {} : { firstAt: new Date(first).toISOString(), lastAt: new Date(last).toISOString() };
}
