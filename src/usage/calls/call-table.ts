import { tokenNames } from "../../sessions/internal.ts";
import { candidate, rowKept, rowMissing, wordRowCount, wordRows } from "../scan/kernel/layout.ts";
import * as figureColumn from "../scan/kernel/row-figures.ts";
import * as wordColumn from "../scan/kernel/row-words.ts";
import { openMemory, type ScanMemory } from "../scan/scan-kernel.ts";
import type { RecordPart, UsageRecord } from "./usage-record.ts";

export { figureColumn, wordColumn };

/** Marks of a row, as bits. The kernel sets the first four. */
export const rowFlag = { stopped: 1, fast: 2, batch: 4, us: 8, apiError: 16, hasParts: 32 } as const;

/**
 * The calls in the files: one row per file, key, request, rank and prompt counts, with the best record of its kind (a record with a stop
 * reason beats one without; then the larger output; then the larger sum; then the earlier line). Rows of one file follow each other. They
 * are in the memory of the kernel, which adds most of them.
 */
export interface CallTable {
  readonly memory: ScanMemory;
  readonly count: number;
  /** The words of all rows, `wordColumn.size` per row. Contract: a new view each time, which is invalid after the table grows. */
  readonly words: Uint32Array;
  /** The figures of all rows, `figureColumn.size` per row; same contract. */
  readonly figures: Float64Array;
  /** Adds a record unless its row has a better one. */
  add(file: number, record: UsageRecord, offset: number): void;
  /** Adds rows of one file, as `words` of another table had them. */
  addRows(words: Uint32Array): void;
  /** Removes this row and all after it. */
  dropFrom(row: number): void;
  partsOf(row: number): readonly RecordPart[];
  setParts(row: number, parts: readonly RecordPart[]): void;
}

export function openCallTable(): CallTable {
  const memory = openMemory();
  const parts = new Map<number, readonly RecordPart[]>();

  const table: CallTable = {
    memory,
    get count() {
      return memory.words[wordRowCount] as number;
    },
    get words() {
      const { words } = memory;
      return new Uint32Array(words.buffer, words[wordRows], table.count * wordColumn.size);
    },
    get figures() {
      const { words } = memory;
      return new Float64Array(words.buffer, words[wordRows], table.count * figureColumn.size);
    },
    add(file, record, offset) {
      setCandidate(memory, file, record, offset);
      const found = memory.findRow();
      if (found === rowKept) return;
      const row = found === rowMissing ? table.count : found;
      if (found === rowMissing) memory.insertRow();
      else memory.replaceRow(row);
      if (record.parts.length > 0) parts.set(row, record.parts);
    },
    addRows(words) {
      const first = table.count;
      const added = words.length / wordColumn.size;
      memory.reserveRows(added);
      memory.words.set(words, (memory.words[wordRows] as number) / 4 + first * wordColumn.size);
      memory.words[wordRowCount] = first + added;
      memory.linkRows(first);
    },
    dropFrom(row) {
      if (row >= table.count) return;
      memory.words[wordRowCount] = row;
      memory.linkRows(0);
    },
    partsOf(row) {
      const marks = table.words[row * wordColumn.size + wordColumn.marks] as number;
      return (marks & rowFlag.hasParts) === 0 ? [] : (parts.get(row) ?? []);
    },
    setParts: (row, own) => void parts.set(row, own),
  };
  return table;
}

/** Words, flags and figures that a record has under the same name. */
const recordWords = ["rank", "agent", "odd", "model"] as const;
const recordFlags = ["stopped", "fast", "batch", "us", "apiError"] as const;
const recordFigures = [...tokenNames, "at", "prompt", "assumed5m", "written"] as const;
const wordOf: Readonly<Record<(typeof recordWords)[number], number>> = wordColumn;
const columnOf: Readonly<Record<(typeof recordFigures)[number], number>> = figureColumn;

function setCandidate({ words, figures }: ScanMemory, file: number, record: UsageRecord, offset: number): void {
  const w = candidate / 4;
  words[w + wordColumn.file] = file;
  words[w + wordColumn.keyA] = record.key.a;
  words[w + wordColumn.keyB] = record.key.b;
  words[w + wordColumn.requestA] = record.request.a;
  words[w + wordColumn.requestB] = record.request.b;
  for (const name of recordWords) words[w + wordOf[name]] = record[name];
  let marks: number = record.parts.length > 0 ? rowFlag.hasParts : 0;
  for (const name of recordFlags) if (record[name]) marks |= rowFlag[name];
  words[w + wordColumn.marks] = marks;
  const f = candidate / 8;
  figures[f + figureColumn.offset] = offset;
  for (const name of recordFigures) figures[f + columnOf[name]] = record[name];
}
