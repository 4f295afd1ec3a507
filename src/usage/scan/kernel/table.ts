/**
 * The table of calls: one row per file, key, request, rank and prompt counts, which holds the best record of its kind. A hash table over
 * file and key finds rows: its heads come first, the rows follow. The candidate is a row outside the table that is compared with it.
 */
import * as layout from "./layout.ts";
import * as figure from "./row-figures.ts";
import * as rowWord from "./row-words.ts";

export const rowBytes: usize = figure.size * 8;
const none: u32 = 0xffffffff;
const headsPerRow = 2;

const candidate: usize = layout.candidate;

export function word(place: i32): usize {
  return <usize>load<u32>(place << 2);
}

export function setWord(place: i32, value: usize): void {
  store<u32>(place << 2, <u32>value);
}

export function setCandidateWord(place: i32, value: u32): void {
  store<u32>(candidate + (place << 2), value);
}

export function setCandidateFigure(place: i32, value: f64): void {
  store<f64>(candidate + (place << 3), value);
}

/** The row that the candidate is better than; `rowMissing` for the first of its kind, `rowKept` where the row is as good. */
export function findRow(): i32 {
  const count = word(layout.wordRowCount);
  // The lines of a call mostly follow each other.
  let row = <u32>(count - 1);
  if (count === 0 || !isSameKind(rowAt(row))) row = load<u32>(headOf(candidate));
  while (row !== none && !isSameKind(rowAt(row))) row = load<u32>(rowAt(row) + (rowWord.next << 2));
  if (row === none) return layout.rowMissing;
  return isBetter(rowAt(row)) ? <i32>row : layout.rowKept;
}

export function insertRow(): void {
  reserveRows(1);
  const row = <u32>word(layout.wordRowCount);
  setWord(layout.wordRowCount, row + 1);
  memory.copy(rowAt(row), candidate, rowBytes);
  linkRow(row);
}

/** Takes over the parts of the candidate that belong to the best record. */
export function replaceRow(row: u32): void {
  const address = rowAt(row);
  const figures: usize = figure.output << 3;
  memory.copy(address + figures, candidate + figures, (figure.written + 1 - figure.output) << 3);
  const words: usize = rowWord.marks << 2;
  memory.copy(address + words, candidate + words, (rowWord.model + 1 - rowWord.marks) << 2);
}

/** Makes room for this many more rows. It may move the table, and the memory may grow. */
export function reserveRows(more: usize): void {
  const needed = word(layout.wordRowCount) + more;
  let room = word(layout.wordRowRoom);
  if (needed <= room) return;
  while (room < needed) room *= 2;
  const heads = word(layout.wordTable);
  const rows = heads + room * headsPerRow * 4;
  const pages = <i32>((rows + room * rowBytes + 0xffff) >>> 16);
  if (pages > memory.size()) memory.grow(pages - memory.size());
  memory.copy(rows, word(layout.wordRows), word(layout.wordRowCount) * rowBytes);
  setWord(layout.wordRowRoom, room);
  setWord(layout.wordRows, rows);
  linkRows(0);
}

/** Finds rows from `first` on by their keys; from 0 on, it forgets those that are no longer there. */
export function linkRows(first: u32): void {
  const heads = word(layout.wordTable);
  if (first === 0) memory.fill(heads, 0xff, word(layout.wordRows) - heads);
  for (let row = first; row < <u32>word(layout.wordRowCount); row++) linkRow(row);
}

function linkRow(row: u32): void {
  const head = headOf(rowAt(row));
  store<u32>(rowAt(row) + (rowWord.next << 2), load<u32>(head));
  store<u32>(head, row);
}

function rowAt(row: u32): usize {
  return word(layout.wordRows) + <usize>row * rowBytes;
}

function headOf(row: usize): usize {
  const key = load<u32>(row + (rowWord.keyA << 2));
  const file = load<u32>(row + (rowWord.file << 2));
  const places = word(layout.wordRowRoom) * headsPerRow;
  return word(layout.wordTable) + (((<usize>key ^ (<usize>(file + 1) * 0x9e3779b1)) & (places - 1)) << 2);
}

function isSameKind(row: usize): bool {
  for (let place = rowWord.file; place <= rowWord.rank; place++) {
    if (load<u32>(row + (place << 2)) !== load<u32>(candidate + (place << 2))) return false;
  }
  for (let place = figure.input; place <= figure.cacheRead; place++) {
    if (load<f64>(row + (place << 3)) !== load<f64>(candidate + (place << 3))) return false;
  }
  return true;
}

/**
 * A record with a stop reason is better than one without; then the larger output counts, then the larger sum. Prompt counts are equal
 * within a row, so web searches decide the sum.
 */
function isBetter(row: usize): bool {
  const stopped = load<u32>(row + (rowWord.marks << 2)) & layout.markStopped;
  const isStopped = load<u32>(candidate + (rowWord.marks << 2)) & layout.markStopped;
  if (stopped !== isStopped) return isStopped !== 0;
  const output = load<f64>(row + (figure.output << 3));
  const newOutput = load<f64>(candidate + (figure.output << 3));
  if (output !== newOutput) return newOutput > output;
  return load<f64>(candidate + (figure.webSearches << 3)) > load<f64>(row + (figure.webSearches << 3));
}
