import { type Tokens, tokenNames } from "../../sessions/internal.ts";
import { type BilledTokens, billedPart, costOf } from "../prices/cost.ts";
import type { PriceRow } from "../prices/price-rows.ts";
import type { PriceTable } from "../prices/price-table.ts";
import { type CallTable, figureColumn, rowFlag, wordColumn } from "./call-table.ts";
import { type OwnerInfo, resolveCalls } from "./resolve-calls.ts";
import type { NameTable } from "./usage-record.ts";

/** Calls added up, per owner's file, agent, model, price situation and quarter of an hour. Every report is made of them. */
export interface Rollups {
  readonly count: number;
  /** Row by row, `sumColumn.size` each. */
  readonly sums: Float64Array;
}

const sumColumns = [
  ...(["file", "agent", "model", "situation", "quarter", "firstAt", "lastAt"] as const),
  ...(["calls", "openCalls", "apiErrors"] as const),
  ...tokenNames,
  ...(["assumed5m", "odd", "conflicts", "fastAndBatch"] as const),
  ...(["costAuto", "missingAuto", "costCalculated", "missingCalculated", "costWritten", "missingWritten"] as const),
];

/**
 * Places in a row. Times are in milliseconds; `quarter` counts quarters of an hour since 1970 UTC (every zone on earth is
 * whole quarters away from UTC), -1 for calls without a time. There are three costs, one for each cost mode, each
 * with the number of calls without a cost.
 */
export const sumColumn = Object.fromEntries([...sumColumns, "size"].map((name, place) => [name, place])) as Readonly<
  Record<(typeof sumColumns)[number] | "size", number>
>;

/** Bits of `situation`. */
export const priceFlag = { fast: 1, batch: 2, us: 4, unpriced: 8 } as const;

export const quarterMs: number = 15 * 60 * 1000;

/** Adds up the calls that `keep` names by the file that owns them and its row there. */
export function rollUp(
  table: CallTable,
  names: NameTable,
  fileInfo: (file: number) => OwnerInfo,
  prices: PriceTable,
  keep: (file: number, row: number) => boolean = () => true,
): Rollups {
  const { words, figures } = table;
  const rows = openRows();
  // Calls of one model follow each other: its price is looked up once for many.
  let pricedModel = -1;
  let price: PriceRow | undefined;
  resolveCalls(table, fileInfo, (best, owner, conflict) => {
    const w = best * wordColumn.size;
    const f = best * figureColumn.size;
    const file = words[owner * wordColumn.size + wordColumn.file] as number;
    if (!keep(file, owner)) return;
    const agent = words[owner * wordColumn.size + wordColumn.agent] as number;
    const at = figures[owner * figureColumn.size + figureColumn.at] as number;
    const marks = words[w + wordColumn.marks] as number;
    const model = words[w + wordColumn.model] as number;
    if ((marks & rowFlag.apiError) !== 0) {
      const row = rows.find(file, agent, model, 0, at);
      plus(rows.sums(), row + sumColumn.apiErrors, 1);
      return;
    }
    const what: BilledTokens & Tokens = {
      input: figures[f + figureColumn.input] as number,
      output: figures[f + figureColumn.output] as number,
      thinking: figures[f + figureColumn.thinking] as number,
      cacheWrite5m: figures[f + figureColumn.cacheWrite5m] as number,
      cacheWrite1h: figures[f + figureColumn.cacheWrite1h] as number,
      cacheRead: figures[f + figureColumn.cacheRead] as number,
      webSearches: figures[f + figureColumn.webSearches] as number,
      prompt: figures[f + figureColumn.prompt] as number,
      fast: (marks & rowFlag.fast) !== 0,
      batch: (marks & rowFlag.batch) !== 0,
      us: (marks & rowFlag.us) !== 0,
    };
    const row = add(file, agent, at, model, what, figures[f + figureColumn.written] as number);
    const sums = rows.sums();
    plus(sums, row + sumColumn.calls, 1);
    if ((marks & rowFlag.stopped) === 0) plus(sums, row + sumColumn.openCalls, 1);
    if (conflict) plus(sums, row + sumColumn.conflicts, 1);
    if (what.fast && what.batch) plus(sums, row + sumColumn.fastAndBatch, 1);
    plus(sums, row + sumColumn.assumed5m, figures[f + figureColumn.assumed5m] as number);
    plus(sums, row + sumColumn.odd, words[w + wordColumn.odd] as number);
    if ((marks & rowFlag.hasParts) === 0) return;
    for (const part of table.partsOf(best)) {
      add(file, agent, at, names.numberOf(part.model), billedPart(part, what), Number.NaN);
    }
  });
  return { count: rows.count(), sums: rows.sums().slice(0, rows.count() * sumColumn.size) };

  function add(
    file: number,
    agent: number,
    at: number,
    model: number,
    what: BilledTokens & Tokens,
    written: number,
  ): number {
    // Calls without a time have the newest price.
    const when = Number.isNaN(at) ? Number.MAX_SAFE_INTEGER : at;
    if (model !== pricedModel || (price !== undefined && (when < price.from || when >= price.to))) {
      price = prices.rowAt(names.texts[model] ?? "", when);
      // A model without a price at this time may have one at another time.
      pricedModel = price === undefined ? -1 : model;
    }
    const bits =
      (what.fast ? priceFlag.fast : 0) |
      (what.batch ? priceFlag.batch : 0) |
      (what.us ? priceFlag.us : 0) |
      (price === undefined ? priceFlag.unpriced : 0);
    const row = rows.find(file, agent, model, bits, at);
    const sums = rows.sums();
    for (const name of tokenNames) plus(sums, row + sumColumn[name], what[name]);
    const calculated = price === undefined ? Number.NaN : costOf(price, what);
    addCost(sums, row + sumColumn.costCalculated, calculated);
    addCost(sums, row + sumColumn.costWritten, written);
    addCost(sums, row + sumColumn.costAuto, Number.isNaN(written) ? calculated : written);
    return row;
  }
}

/** Where each rollup that passes the test begins in `sums`. */
export function rollupsWhere({ count }: Rollups, test: (at: number) => boolean): number[] {
  const rows: number[] = [];
  for (let at = 0; at < count * sumColumn.size; at += sumColumn.size) if (test(at)) rows.push(at);
  return rows;
}

/** Adds a cost, or counts one more call without a cost in the next column. */
function addCost(sums: Float64Array, at: number, cost: number): void {
  if (Number.isNaN(cost)) plus(sums, at + 1, 1);
  else plus(sums, at, cost);
}

function plus(sums: Float64Array, at: number, value: number): void {
  sums[at] = (sums[at] as number) + value;
}

/** Rows by what they are for; `find` gives where a row begins. */
function openRows() {
  const places = new Map<string, number>();
  let sums = new Float64Array(2048 * sumColumn.size);
  let last = -sumColumn.size;

  /** Calls of one file and quarter of an hour follow each other, so the last row is nearly always the one. */
  function isLast(file: number, agent: number, model: number, bits: number, quarter: number): boolean {
    return (
      sums[last + sumColumn.quarter] === quarter &&
      sums[last + sumColumn.file] === file &&
      sums[last + sumColumn.model] === model &&
      sums[last + sumColumn.agent] === agent &&
      sums[last + sumColumn.situation] === bits
    );
  }

  function add(row: readonly number[]): number {
    const at = places.size * sumColumn.size;
    if (at === sums.length) {
      const more = new Float64Array(2 * sums.length);
      more.set(sums);
      sums = more;
    }
    sums.set(row, at);
    return at;
  }

  return {
    count: () => places.size,
    sums: () => sums,
    find(file: number, agent: number, model: number, bits: number, time: number): number {
      const quarter = Number.isNaN(time) ? -1 : Math.floor(time / quarterMs);
      if (!isLast(file, agent, model, bits, quarter)) {
        const key = `${file} ${agent} ${model} ${bits} ${quarter}`;
        last = places.get(key) ?? add([file, agent, model, bits, quarter, time, time]);
        places.set(key, last);
      }
      if (time < (sums[last + sumColumn.firstAt] as number)) sums[last + sumColumn.firstAt] = time;
      if (time > (sums[last + sumColumn.lastAt] as number)) sums[last + sumColumn.lastAt] = time;
      return last;
    },
  };
}
