import { groupBy } from "../../protocol/internal.ts";
import { priceFlag, quarterMs, sumColumn } from "../calls/rollups.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { PriceTable } from "../prices/price-table.ts";
import { type Amounts, amountsOf, type CostMode, costPlace } from "./amounts.ts";
import type { Selection } from "./selection.ts";

/** Something worth knowing about a report, with how often it was met. */
export interface UsageWarning {
  readonly code: UsageWarningCode;
  readonly count: number;
  readonly message: string;
  /** Some of the places, never all; of `unread-file` all, at line 0. */
  readonly places?: readonly {
    readonly file: string;
    readonly line: number;
    readonly offset: number;
    readonly why: string;
  }[];
}

export type UsageWarningCode =
  | "unpriced-model"
  | "unwritten-cost"
  | "usage-conflict"
  | "odd-count"
  | "assumed-5m"
  | "fast-and-batch"
  | "open-calls"
  | "undated-calls"
  | "unreadable-line"
  | "unread-file"
  | "index";

/** Calls of a model that has no price at their time. */
export interface UnpricedModel extends Amounts {
  readonly model: string;
}

export function unpricedOf({ ledger, modelOf }: Selection, rows: readonly number[], mode: CostMode): UnpricedModel[] {
  const unpriced = rows.filter(
    (at) => ((ledger.rollups.sums[at + sumColumn.situation] as number) & priceFlag.unpriced) !== 0,
  );
  return [...groupBy(unpriced, modelOf)]
    .map(([model, own]) => ({ model, ...amountsOf(ledger.rollups, own, mode) }))
    .sort((a, b) => (a.model < b.model ? -1 : 1));
}

export function warningsOf(selection: Selection, rows: readonly number[], mode: CostMode): UsageWarning[] {
  const { rollups, files, notes, unread } = selection.ledger;
  const total = (place: number) => rows.reduce((all, at) => all + (rollups.sums[at + place] as number), 0);
  const undatedRows = rows.filter((at) => (rollups.sums[at + sumColumn.quarter] as number) < 0);
  const undatedCalls = undatedRows.reduce((all, at) => all + (rollups.sums[at + sumColumn.calls] as number), 0);
  const missing = total(costPlace(mode) + 1);
  const unreadable = files.reduce((all, file) => all + file.unreadable, 0);
  const warnings: UsageWarning[] = [
    mode === "display"
      ? {
          code: "unwritten-cost",
          count: missing,
          message: "no cost was written with these calls: the cost is at least what is shown",
        }
      : {
          code: "unpriced-model",
          count: missing,
          message: "no price is known for these calls: the cost is at least what is shown",
        },
    {
      code: "usage-conflict",
      count: total(sumColumn.conflicts),
      message: "lines of one call disagree on input or cache counts: the best line was used whole",
    },
    {
      code: "odd-count",
      count: total(sumColumn.odd),
      message: "counts that are missing, negative, not whole or too large were read as 0",
    },
    {
      code: "assumed-5m",
      count: total(sumColumn.assumed5m),
      message: "tokens written to a cache without its lifetime were counted as 5 minutes",
    },
    {
      code: "fast-and-batch",
      count: total(sumColumn.fastAndBatch),
      message: "calls that claim to be fast and batched were priced as fast",
    },
    {
      code: "open-calls",
      count: total(sumColumn.openCalls),
      message: "answers were cut off: their output counts as far as it was written",
    },
    { code: "undated-calls", count: undatedCalls, message: "no line says when these calls were made" },
    {
      code: "unreadable-line",
      count: unreadable,
      message: "lines hold no record, or not a whole one",
      places: placesOf(selection.ledger),
    },
    {
      code: "unread-file",
      count: unread.length,
      message: "transcripts or folders of them cannot be read: their calls are in no figure",
      places: unread.map(({ file, why }) => ({ file, line: 0, offset: 0, why })),
    },
    ...notes.map((message): UsageWarning => ({ code: "index", count: 1, message })),
  ];
  return warnings.filter(({ count }) => count > 0);
}

const placesShown = 10;

function placesOf({ files }: Ledger): NonNullable<UsageWarning["places"]> {
  return files
    .flatMap(({ path, unreadablePlaces }) => unreadablePlaces.map((place) => ({ file: path, ...place })))
    .slice(0, placesShown);
}

/** Where the prices of these rollups come from: the newest day one of them was read, and all addresses. */
export function pricesUsed(
  { ledger, modelOf }: Selection,
  rows: readonly number[],
  prices: PriceTable,
): {
  readonly newest: string | null;
  readonly sources: readonly string[];
  readonly rows: ReadonlySet<PriceTable["rows"][number]>;
} {
  const used = new Set<PriceTable["rows"][number]>();
  let last: PriceTable["rows"][number] | undefined;
  let lastModel = "";
  for (const at of rows) {
    const quarter = ledger.rollups.sums[at + sumColumn.quarter] as number;
    const model = modelOf(at);
    const when = quarter < 0 ? Number.MAX_SAFE_INTEGER : quarter * quarterMs;
    if (model === lastModel && last !== undefined && when >= last.from && when < last.to) continue;
    const row = prices.rowAt(model, when);
    lastModel = model;
    last = row;
    if (row !== undefined) used.add(row);
  }
  const days = [...used].map((row) => row.read).sort();
  return { newest: days.at(-1) ?? null, sources: [...new Set([...used].map((row) => row.source))].sort(), rows: used };
}
