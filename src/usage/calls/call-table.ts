import { noParts, type RecordPart, type UsageRecord } from "./usage-record.ts";

/** Marks of a row, as bits. */
export const rowFlag = { stopped: 1, fast: 2, batch: 4, us: 8, apiError: 16, hasParts: 32 } as const;

/**
 * What the files say about calls: one row per file, key, request, rank and prompt counts, holding the best record of its
 * kind (a record with a stop reason beats one without; then the larger output; then the larger sum; then the earlier
 * line). Rows of one file lie together. A row is a stretch of two long arrays: no object per line or call.
 */
export interface CallTable {
  readonly count: number;
  /** Row by row, `word.size` each. Contract: replaced when the table grows, so nobody keeps it across an `add`. */
  readonly words: Uint32Array;
  /** Row by row, `figure.size` each; same contract. */
  readonly figures: Float64Array;
  /** The row that a record of a file belongs to; -1 when it is the first of its kind. */
  find(file: number, record: UsageRecord): number;
  /** A row of its own for a record that has none yet. */
  insert(file: number, record: UsageRecord, offset: number): void;
  /** Whether the record is better than what its row holds. */
  isBetter(row: number, record: UsageRecord): boolean;
  /** Takes the better record into its row. */
  replace(row: number, record: UsageRecord): void;
  /** Adds rows of one file that another table held, unchanged. */
  addRows(words: Uint32Array, figures: Float64Array): void;
  /** Forgets this row and all behind it. */
  dropFrom(row: number): void;
  partsOf(row: number): readonly RecordPart[];
  setParts(row: number, parts: readonly RecordPart[]): void;
}

/** Places in a row of words. */
export const wordColumn = {
  file: 0,
  keyA: 1,
  keyB: 2,
  requestA: 3,
  requestB: 4,
  rank: 5,
  marks: 6,
  odd: 7,
  model: 8,
  agent: 9,
  /** The next row of the same file with a key that hashes alike; 0xffffffff behind the last. */
  next: 10,
  size: 11,
} as const;

/** Places in a row of figures. `at` and `offset` are those of the row's first line. */
export const figureColumn = {
  input: 0,
  output: 1,
  thinking: 2,
  cacheWrite5m: 3,
  cacheWrite1h: 4,
  cacheRead: 5,
  webSearches: 6,
  prompt: 7,
  assumed5m: 8,
  at: 9,
  offset: 10,
  written: 11,
  size: 12,
} as const;

const none = 0xffffffff;

export function openCallTable(): CallTable {
  let room = 4096;
  let count = 0;
  let words = new Uint32Array(room * wordColumn.size);
  let figures = new Float64Array(room * figureColumn.size);
  let heads = new Uint32Array(room * 4).fill(none);
  const parts = new Map<number, readonly RecordPart[]>();

  /** The row this record belongs to; `none` when it is the first of its kind. */
  function find(file: number, record: UsageRecord): number {
    // The lines of a call mostly follow each other.
    if (count > 0 && isOf(count - 1, file, record)) return count - 1;
    let row = heads[placeOf(file, record.key.a, heads.length)] as number;
    while (row !== none && !isOf(row, file, record)) row = words[row * wordColumn.size + wordColumn.next] as number;
    return row;
  }

  function isOf(row: number, file: number, record: UsageRecord): boolean {
    const w = row * wordColumn.size;
    if (words[w + wordColumn.keyA] !== record.key.a || words[w + wordColumn.keyB] !== record.key.b) return false;
    if (words[w + wordColumn.file] !== file || words[w + wordColumn.rank] !== record.rank) return false;
    if (words[w + wordColumn.requestA] !== record.request.a || words[w + wordColumn.requestB] !== record.request.b)
      return false;
    const f = row * figureColumn.size;
    return (
      figures[f + figureColumn.input] === record.input &&
      figures[f + figureColumn.cacheRead] === record.cacheRead &&
      figures[f + figureColumn.cacheWrite5m] === record.cacheWrite5m &&
      figures[f + figureColumn.cacheWrite1h] === record.cacheWrite1h
    );
  }

  /** Prompt counts are equal within a row, so the larger sum is the larger rest. */
  function isBetter(row: number, record: UsageRecord): boolean {
    const stopped = ((words[row * wordColumn.size + wordColumn.marks] as number) & rowFlag.stopped) !== 0;
    if (record.stopped !== stopped) return record.stopped;
    const output = figures[row * figureColumn.size + figureColumn.output] as number;
    if (record.output !== output) return record.output > output;
    return record.webSearches > (figures[row * figureColumn.size + figureColumn.webSearches] as number);
  }

  function insert(file: number, record: UsageRecord, offset: number): number {
    if (count === room) grow();
    const row = count++;
    const place = placeOf(file, record.key.a, heads.length);
    const w = row * wordColumn.size;
    words[w + wordColumn.file] = file;
    words[w + wordColumn.keyA] = record.key.a;
    words[w + wordColumn.keyB] = record.key.b;
    words[w + wordColumn.requestA] = record.request.a;
    words[w + wordColumn.requestB] = record.request.b;
    words[w + wordColumn.rank] = record.rank;
    words[w + wordColumn.agent] = record.agent;
    words[w + wordColumn.next] = heads[place] as number;
    heads[place] = row;
    const f = row * figureColumn.size;
    figures[f + figureColumn.input] = record.input;
    figures[f + figureColumn.cacheWrite5m] = record.cacheWrite5m;
    figures[f + figureColumn.cacheWrite1h] = record.cacheWrite1h;
    figures[f + figureColumn.cacheRead] = record.cacheRead;
    figures[f + figureColumn.at] = record.at;
    figures[f + figureColumn.offset] = offset;
    return row;
  }

  /** What belongs to the best record alone. */
  function set(row: number, record: UsageRecord): void {
    const w = row * wordColumn.size;
    words[w + wordColumn.marks] =
      (record.stopped ? rowFlag.stopped : 0) |
      (record.fast ? rowFlag.fast : 0) |
      (record.batch ? rowFlag.batch : 0) |
      (record.us ? rowFlag.us : 0) |
      (record.apiError ? rowFlag.apiError : 0) |
      (record.parts.length > 0 ? rowFlag.hasParts : 0);
    words[w + wordColumn.odd] = record.odd;
    words[w + wordColumn.model] = record.model;
    const f = row * figureColumn.size;
    figures[f + figureColumn.output] = record.output;
    figures[f + figureColumn.thinking] = record.thinking;
    figures[f + figureColumn.webSearches] = record.webSearches;
    figures[f + figureColumn.prompt] = record.prompt;
    figures[f + figureColumn.assumed5m] = record.assumed5m;
    figures[f + figureColumn.written] = record.written;
    if (record.parts.length > 0) parts.set(row, record.parts);
    else if (parts.size > 0) parts.delete(row);
  }

  function addRows(moreWords: Uint32Array, moreFigures: Float64Array): void {
    const more = moreWords.length / wordColumn.size;
    while (room < count + more) grow();
    words.set(moreWords, count * wordColumn.size);
    figures.set(moreFigures, count * figureColumn.size);
    count += more;
    link(count - more);
  }

  /** Makes the rows from `first` on known by their keys. */
  function link(first: number): void {
    for (let row = first; row < count; row++) {
      const w = row * wordColumn.size;
      const place = placeOf(words[w + wordColumn.file] as number, words[w + wordColumn.keyA] as number, heads.length);
      words[w + wordColumn.next] = heads[place] as number;
      heads[place] = row;
    }
  }

  function dropFrom(row: number): void {
    if (row >= count) return;
    for (const own of [...parts.keys()]) if (own >= row) parts.delete(own);
    count = row;
    heads.fill(none);
    link(0);
  }

  function grow(): void {
    room *= 2;
    const moreWords = new Uint32Array(room * wordColumn.size);
    moreWords.set(words);
    words = moreWords;
    const moreFigures = new Float64Array(room * figureColumn.size);
    moreFigures.set(figures);
    figures = moreFigures;
    heads = new Uint32Array(room * 4).fill(none);
    link(0);
  }

  return {
    get count() {
      return count;
    },
    get words() {
      return words;
    },
    get figures() {
      return figures;
    },
    find(file, record) {
      const row = find(file, record);
      return row === none ? -1 : row;
    },
    insert: (file, record, offset) => set(insert(file, record, offset), record),
    isBetter,
    replace: set,
    addRows,
    dropFrom,
    partsOf: (row) => parts.get(row) ?? noParts,
    setParts: (row, own) => void parts.set(row, own),
  };
}

function placeOf(file: number, key: number, places: number): number {
  return (key ^ Math.imul(file + 1, 0x9e3779b1)) & (places - 1);
}
