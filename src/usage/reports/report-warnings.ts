import { defined, groupBy } from "../../protocol/internal.ts";
import { priceFlag, quarterMs, sumColumn } from "../calls/rollups.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { PriceRow } from "../prices/price-rows.ts";
import type { PriceTable } from "../prices/price-table.ts";
import type { UnreadablePlace } from "../scan/file-facts.ts";
import { type Amounts, amountsOf, type CostMode, costPlace } from "./amounts.ts";
import type { UsageSelection } from "./selection.ts";

/** Something worth knowing about a report, with how often it was met. */
export interface UsageWarning {
  readonly code: UsageWarningCode;
  readonly count: number;
  readonly message: string;
  /** Some of the places, never all; of `unread-file` all, at line 0. */
  readonly places?: readonly ({ readonly file: string } & UnreadablePlace)[];
}

/** The code of a warning in a usage report. */
export type UsageWarningCode = keyof typeof messages | "index";

const messages = {
  "unpriced-model": "no price is known for these calls: the cost is at least what is shown",
  "unwritten-cost": "no cost was written with these calls: the cost is at least what is shown",
  "usage-conflict": "lines of one call disagree on input or cache counts: the best line was used whole",
  "odd-count":
    "counts that are missing, negative, not whole or too large were read as 0: tokens and cost are at least what is shown",
  "assumed-5m": "tokens written to a cache without its lifetime were counted as 5 minutes",
  "fast-and-batch": "calls that claim to be fast and batched were priced as fast",
  "open-calls": "answers were cut off: their output counts as far as it was written",
  "undated-calls": "no line says when these calls were made",
  "unreadable-line": "lines hold no record, or not a whole one",
  "unread-file": "transcripts or folders of them cannot be read: their calls are in no figure",
} as const;

/** Calls of a model that has no price at their time. */
export interface UnpricedModel extends Amounts {
  readonly model: string;
}

export function unpricedOf(
  { ledger, modelOf }: UsageSelection,
  rows: readonly number[],
  mode: CostMode,
): UnpricedModel[] {
  const unpriced = rows.filter(
    (at) => ((ledger.rollups.sums[at + sumColumn.situation] as number) & priceFlag.unpriced) !== 0,
  );
  return [...groupBy(unpriced, modelOf)]
    .map(([model, own]) => ({ model, ...amountsOf(ledger.rollups, own, mode) }))
    .sort((a, b) => (a.model < b.model ? -1 : 1));
}

export function warningsOf(selection: UsageSelection, rows: readonly number[], mode: CostMode): UsageWarning[] {
  const { rollups, files, notes, unread } = selection.ledger;
  const total = (column: number, some = rows) =>
    some.reduce((all, at) => all + (rollups.sums[at + column] as number), 0);
  const undated = rows.filter((at) => (rollups.sums[at + sumColumn.quarter] as number) < 0);
  const unreadable = files.reduce((all, file) => all + file.unreadable, 0);
  const counts: readonly (readonly [keyof typeof messages, number, UsageWarning["places"]?])[] = [
    [mode === "display" ? "unwritten-cost" : "unpriced-model", total(costPlace(mode) + 1)],
    ["usage-conflict", total(sumColumn.conflicts)],
    ["odd-count", total(sumColumn.odd)],
    ["assumed-5m", total(sumColumn.assumed5m)],
    ["fast-and-batch", total(sumColumn.fastAndBatch)],
    ["open-calls", total(sumColumn.openCalls)],
    ["undated-calls", total(sumColumn.calls, undated)],
    ["unreadable-line", unreadable, placesOf(selection.ledger)],
    ["unread-file", unread.length, unread.map(({ file, why }) => ({ file, line: 0, offset: 0, why }))],
  ];
  return [
    ...counts
      .filter(([, count]) => count > 0)
      .map(([code, count, places]) => ({ code, count, message: messages[code], ...defined({ places }) })),
    ...notes.map((message): UsageWarning => ({ code: "index", count: 1, message })),
  ];
}

const placesShown = 10;

function placesOf({ files }: Ledger): NonNullable<UsageWarning["places"]> {
  return files
    .flatMap(({ path, unreadablePlaces }) => unreadablePlaces.map((place) => ({ file: path, ...place })))
    .slice(0, placesShown);
}

/** Where the prices of these rollups come from: the newest day one of them was read, and all addresses. */
export function pricesUsed(
  { ledger, modelOf }: UsageSelection,
  rows: readonly number[],
  prices: PriceTable,
): { readonly newest: string | null; readonly sources: readonly string[]; readonly rows: readonly PriceRow[] } {
  const priceAt = (at: number) => {
    const quarter = ledger.rollups.sums[at + sumColumn.quarter] as number;
    return prices.rowAt(modelOf(at), quarter < 0 ? Number.MAX_SAFE_INTEGER : quarter * quarterMs);
  };
  const used = [...new Set(rows.flatMap((at) => priceAt(at) ?? []))];
  const days = used.map(({ read }) => read).sort();
  return { newest: days.at(-1) ?? null, sources: [...new Set(used.map(({ source }) => source))].sort(), rows: used };
}
