import { groupBy, memoized } from "../../protocol/internal.ts";
import { type CallTable, figureColumn, rowFlag, wordColumn } from "./call-table.ts";

/** What is known of a file when several hold the same call. */
export interface OwnerInfo {
  readonly path: string;
  readonly session: string;
  /** The first time written in any of its lines; NaN when there is none. */
  readonly firstAt: number;
  /** Sessions that this one names as its source. */
  readonly ancestors: readonly string[];
}

/**
 * Receives one call: `best`, the row whose counts are used; `owner`, the row that says whose call it is and when it began; `conflict`,
 * whether rows disagree on input or cache counts.
 */
export type CallSink = (best: number, owner: number, conflict: boolean) => void;

/**
 * Reports every call once, however many files and lines contain it. Totals do not depend on the owner; the split
 * by session, agent and time does, in the same way on every run.
 */
export function resolveCalls(table: CallTable, fileInfo: (file: number) => OwnerInfo, take: CallSink): void {
  const { count } = table;
  const { heads, next } = groupByKey(table);
  const owners = ownerFinder(table, fileInfo);
  const rows: number[] = [];
  for (let row = 0; row < count; row++) {
    if (heads[row] !== row) continue;
    if (next[row] === -1) {
      take(row, row, false);
      continue;
    }
    rows.length = 0;
    for (let at = row; at >= 0; at = next[at] as number) rows.push(at);
    if (!disagree(table, rows)) takeBest(rows, false);
    else for (const some of byRequest(table, rows)) takeBest(some, disagree(table, some));
  }

  function takeBest(some: readonly number[], conflict: boolean): void {
    const owner = owners(some);
    const file = table.words[owner * wordColumn.size + wordColumn.file] as number;
    let best = some[0] as number;
    for (const row of some) if (isBetter(table, row, best, file)) best = row;
    take(best, owner, conflict);
  }
}

/** `heads`: of each row, the first row with its key. `next`: the next row with the same key; -1 after the last. */
function groupByKey({ words, count }: CallTable) {
  let places = 1024;
  while (places < count * 2) places *= 2;
  const firsts = new Int32Array(places).fill(-1);
  const heads = new Int32Array(count);
  const next = new Int32Array(count).fill(-1);
  const last = new Int32Array(count);
  for (let row = 0; row < count; row++) {
    const keyA = words[row * wordColumn.size + wordColumn.keyA];
    const keyB = words[row * wordColumn.size + wordColumn.keyB] as number;
    let place = (keyB >>> 1) & (places - 1);
    let head = firsts[place] as number;
    while (
      head >= 0 &&
      (words[head * wordColumn.size + wordColumn.keyA] !== keyA ||
        words[head * wordColumn.size + wordColumn.keyB] !== keyB)
    ) {
      place = (place + 1) & (places - 1);
      head = firsts[place] as number;
    }
    if (head < 0) {
      firsts[place] = row;
      heads[row] = last[row] = row;
    } else {
      heads[row] = head;
      next[last[head] as number] = row;
      last[head] = row;
    }
  }
  return { heads, next };
}

/**
 * Rows of one key are one call, unless counts and request ids both differ: then an endpoint gave the id twice. The rules from here to
 * `isBetter` are those of `sessions/model/model-call.ts`, on columns for speed; counting.test.ts compares both.
 */
function byRequest({ words }: CallTable, rows: readonly number[]): readonly (readonly number[])[] {
  const requestOf = (row: number) =>
    `${words[row * wordColumn.size + wordColumn.requestA]}.${words[row * wordColumn.size + wordColumn.requestB]}`;
  return [...groupBy(rows, requestOf).values()];
}

/** Input and cache counts of a call are the same on each of its lines, zeros aside. */
function disagree({ figures }: CallTable, rows: readonly number[]): boolean {
  return promptColumns.some((column) => differ(figures, column, rows));
}

const promptColumns = [
  figureColumn.input,
  figureColumn.cacheRead,
  figureColumn.cacheWrite5m,
  figureColumn.cacheWrite1h,
];

function differ(figures: Float64Array, column: number, rows: readonly number[]): boolean {
  let known = 0;
  for (const row of rows) {
    const value = figures[row * figureColumn.size + column] as number;
    if (value === 0 || value === known) continue;
    if (known !== 0) return true;
    known = value;
  }
  return false;
}

/** A stop reason, then the larger output, then the larger sum of all classes, then the earlier line in the owner's file. */
function isBetter({ words, figures }: CallTable, one: number, other: number, ownFile: number): boolean {
  const a = one * figureColumn.size;
  const b = other * figureColumn.size;
  const stopped =
    ((words[one * wordColumn.size + wordColumn.marks] as number) & rowFlag.stopped) -
    ((words[other * wordColumn.size + wordColumn.marks] as number) & rowFlag.stopped);
  const output = (figures[a + figureColumn.output] as number) - (figures[b + figureColumn.output] as number);
  const worth = stopped || output || sumAt(figures, a) - sumAt(figures, b);
  if (worth !== 0) return worth > 0;
  const mine = words[one * wordColumn.size + wordColumn.file] === ownFile;
  if (mine !== (words[other * wordColumn.size + wordColumn.file] === ownFile)) return mine;
  return (figures[a + figureColumn.offset] as number) < (figures[b + figureColumn.offset] as number);
}

function sumAt(figures: Float64Array, at: number): number {
  const columns = [...promptColumns, figureColumn.output, figureColumn.webSearches];
  return columns.reduce((sum, column) => sum + (figures[at + column] as number), 0);
}

/** The first row of a call in the file that owns it. */
type OwnerFinder = (rows: readonly number[]) => number;

function ownerFinder({ words, figures }: CallTable, fileInfo: (file: number) => OwnerInfo): OwnerFinder {
  // Files share many calls with few others: the owner is determined once for each set of files.
  const ownerAmong = memoized((numbers: string) => owningFile(numbers.split(",").map(Number), fileInfo));
  const files: number[] = [];

  return (rows) => {
    let best = 2;
    for (const row of rows) best = Math.min(best, words[row * wordColumn.size + wordColumn.rank] as number);
    files.length = 0;
    for (const row of rows) {
      const w = row * wordColumn.size;
      const file = words[w + wordColumn.file] as number;
      if (words[w + wordColumn.rank] === best && !files.includes(file)) files.push(file);
    }
    const file = files.length === 1 ? (files[0] as number) : ownerAmong(files.join());
    let owner = -1;
    for (const row of rows) {
      const w = row * wordColumn.size;
      if (words[w + wordColumn.file] !== file || words[w + wordColumn.rank] !== best) continue;
      const offset = figures[row * figureColumn.size + figureColumn.offset] as number;
      if (owner < 0 || offset < (figures[owner * figureColumn.size + figureColumn.offset] as number)) owner = row;
    }
    return owner;
  };
}

/** The session that the others name as their source, else the one that began first, else the first by path. */
export function owningFile(files: readonly number[], fileInfo: (file: number) => OwnerInfo): number {
  const infos = files.map(fileInfo);
  const isCopy = ({ session, ancestors }: OwnerInfo): boolean =>
    ancestors.length > 0 && infos.some((other) => other.session !== session && ancestors.includes(other.session));
  const sources = infos.filter((info) => !isCopy(info));
  const first = (sources.length > 0 ? sources : infos).reduce((kept, info) => (isBefore(info, kept) ? info : kept));
  return files[infos.indexOf(first)] as number;
}

function isBefore(one: OwnerInfo, other: OwnerInfo): boolean {
  const a = Number.isNaN(one.firstAt) ? Infinity : one.firstAt;
  const b = Number.isNaN(other.firstAt) ? Infinity : other.firstAt;
  return a === b ? one.path < other.path : a < b;
}
