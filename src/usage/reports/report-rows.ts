import { sum } from "../calls/rollups.ts";
import { type Amounts, amountsOf, type CostMode, groupBy } from "./amounts.ts";
import type { Selection } from "./selection.ts";

/** What rows may hold beside their own amounts: the same by model, and by type of agent. */
export interface Breakdown {
  readonly models?: readonly ({ readonly model: string } & Amounts)[];
  readonly agents?: readonly ({ readonly agentType: string } & Amounts)[];
}

export interface RowOptions {
  readonly mode: CostMode;
  readonly breakdown: boolean;
  readonly agents: boolean;
}

/** The amounts of some rollups, with the breakdowns that were asked for. */
export function rowOf(selection: Selection, rows: readonly number[], options: RowOptions): Amounts & Breakdown {
  const { rollups } = selection.ledger;
  const amounts = amountsOf(rollups, rows, options.mode);
  return {
    ...amounts,
    ...(options.breakdown
      ? { models: split(selection, rows, options.mode, selection.modelOf).map(([model, own]) => ({ model, ...own })) }
      : {}),
    ...(options.agents
      ? {
          agents: split(selection, rows, options.mode, selection.agentType).map(([agentType, own]) => ({
            agentType,
            ...own,
          })),
        }
      : {}),
  };
}

/** Largest cost first. What no call stands for, such as an API error's made-up model, has no row of its own. */
function split(
  { ledger }: Selection,
  rows: readonly number[],
  mode: CostMode,
  keyOf: (at: number) => string,
): [string, Amounts][] {
  const groups = new Map<string, number[]>();
  for (const at of rows) {
    if (!holdsTokens(ledger.rollups.sums, at)) continue;
    const key = keyOf(at);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [at]);
    else group.push(at);
  }
  return [...groups]
    .map(([key, own]): [string, Amounts] => [key, amountsOf(ledger.rollups, own, mode)])
    .sort(([a, x], [b, y]) => y.costMicroUsd - x.costMicroUsd || (a < b ? -1 : 1));
}

export function holdsTokens(sums: Float64Array, at: number): boolean {
  return (
    (sums[at + sum.calls] as number) > 0 || (sums[at + sum.input] as number) + (sums[at + sum.output] as number) > 0
  );
}

/** Rollups grouped by a text, sorted by it. */
export function grouped(selection: Selection, keyOf: (at: number) => string): [string, number[]][] {
  return [...groupBy(selection.ledger.rollups, selection.keep, keyOf)].sort(([a], [b]) => (a < b ? -1 : 1));
}
