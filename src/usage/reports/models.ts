import { situation, sum } from "../calls/rollups.ts";
import { modelName } from "../prices/model-name.ts";
import { type Amounts, timesOf } from "./amounts.ts";
import { type Breakdown, grouped, holdsTokens, type RowOptions, rowOf } from "./report-rows.ts";
import type { Selection } from "./selection.ts";

export interface ModelRow extends Amounts, Pick<Breakdown, "agents"> {
  /** As the transcripts spell it. */
  readonly model: string;
  readonly speed: "standard" | "fast";
  readonly firstAt?: string;
  readonly lastAt?: string;
  /** Of the cost of the whole report, from 0 to 1. */
  readonly share: number;
  /** A cloud sold it: priced as the vendor lists it, which need not be what was paid. */
  readonly basis?: "list";
}

export function modelRows(selection: Selection, options: RowOptions): ModelRow[] {
  const { rollups } = selection.ledger;
  const keyOf = (at: number) => `${isFast(rollups.sums, at) ? "fast" : "standard"} ${selection.modelOf(at)}`;
  const rows = grouped(selection, keyOf).flatMap(([key, all]) => {
    const own = all.filter((at) => holdsTokens(rollups.sums, at));
    if (own.length === 0) return [];
    const [speed = "standard", ...rest] = key.split(" ");
    return [
      {
        model: rest.join(" "),
        speed: speed as ModelRow["speed"],
        own,
        amounts: rowOf(selection, own, { ...options, breakdown: false }),
      },
    ];
  });
  const total = rows.reduce((all, { amounts }) => all + amounts.costMicroUsd, 0);
  return rows
    .map(
      ({ model, speed, own, amounts }): ModelRow => ({
        model,
        speed,
        ...timesOf(rollups, own),
        share: total === 0 ? 0 : amounts.costMicroUsd / total,
        ...(modelName(model).cloud ? { basis: "list" as const } : {}),
        ...amounts,
      }),
    )
    .sort((a, b) => a.costMicroUsd - b.costMicroUsd || (nameOf(a) < nameOf(b) ? 1 : -1));
}

function nameOf({ model, speed }: ModelRow): string {
  return `${model} ${speed}`;
}

function isFast(sums: Float64Array, at: number): boolean {
  return ((sums[at + sum.situation] as number) & situation.fast) !== 0;
}
