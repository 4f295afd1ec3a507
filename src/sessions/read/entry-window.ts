import { Problem } from "../../protocol/internal.ts";
import { isTranscriptRecord, toEntry } from "../formats/claude-code/to-entry.ts";
import type { TranscriptItem } from "../model/entry.ts";
import { type Cursor, isCursorValid, openBytes } from "./byte-source.ts";
import { type RecordSource, recordSource, recordsOf } from "./json-records.ts";
import { readLines } from "./read-lines.ts";
import { readEntriesReverse } from "./read-reverse.ts";

/** Which lines: from one on (by number or uuid), around one, or the last ones. */
export type WindowRequest = (
  | { readonly from: number | string }
  | { readonly around: string }
  | { readonly last: number }
) & { readonly limit?: number };

const usual = 100;

/** Reads only the lines that were asked for. The table is made on first need and handed on to the next window. */
export async function readEntryWindow(
  file: string,
  wish: WindowRequest,
  table: () => Promise<OffsetTable>,
  signal?: AbortSignal,
): Promise<TranscriptItem[]> {
  const limit = Math.max(0, Math.floor(wish.limit ?? ("last" in wish ? wish.last : usual)));
  if ("last" in wish) return lastItems(file, Math.min(limit, Math.max(0, Math.floor(wish.last))), table, signal);
  const offsets = await table();
  if ("around" in wish) {
    const line = await lineOf(file, wish.around, offsets, signal);
    return itemsFrom(file, Math.max(1, line - Math.floor(limit / 2)), limit, offsets, signal);
  }
  const line = typeof wish.from === "number" ? wish.from : await lineOf(file, wish.from, offsets, signal);
  return itemsFrom(file, Math.max(1, line), limit, offsets, signal);
}

async function lastItems(
  file: string,
  count: number,
  table: () => Promise<OffsetTable>,
  signal: AbortSignal | undefined,
): Promise<TranscriptItem[]> {
  if (count === 0) return [];
  if (file.endsWith(".gz")) {
    const offsets = await table();
    return (
      await itemsFrom(file, Math.max(1, offsets.lines - count - 255), Number.MAX_SAFE_INTEGER, offsets, signal)
    ).slice(-count);
  }
  const items: TranscriptItem[] = [];
  for await (const item of readEntriesReverse(file, signal)) {
    items.push(item);
    if (items.length === count) break;
  }
  return items.reverse();
}

async function itemsFrom(
  file: string,
  line: number,
  limit: number,
  offsets: OffsetTable,
  signal?: AbortSignal,
): Promise<TranscriptItem[]> {
  const items: TranscriptItem[] = [];
  if (limit === 0) return items;
  const reader = readLines(file, { at: offsets.before(line), tail: "give", signal, chunkBytes: 128 * 1024 });
  let source: RecordSource | undefined;
  for await (const batch of reader) {
    source ??= recordSource(file, reader.cursor);
    for (const one of batch) {
      if (one.line < line) continue;
      for (const record of recordsOf(source, one, isTranscriptRecord)) {
        items.push(record.kind === "unreadable" ? record : toEntry(record));
      }
      if (items.length >= limit) return items.slice(0, limit);
    }
  }
  return items;
}

async function lineOf(file: string, uuid: string, offsets: OffsetTable, signal?: AbortSignal): Promise<number> {
  for (const line of offsets.linesWith(uuid)) {
    const [item] = await itemsFrom(file, line, 1, offsets, signal);
    if (item !== undefined && item.kind !== "unreadable" && item.uuid === uuid) return line;
  }
  throw new Problem("sessions/no-entry", `${file} has no entry ${uuid}.`, { about: { file, uuid } });
}

/** Where lines and uuids of a file are, sparsely: enough to jump near any of them without reading what lies before. */
export interface OffsetTable {
  /** What has been counted; the table is extended from here. */
  readonly cursor: Cursor;
  /** Lines counted, blank ones included. */
  readonly lines: number;
  /** The nearest known place at or before a line. */
  before(line: number): { offset: number; line: number };
  /** Lines that may hold this uuid, newest first: look before you trust. */
  linesWith(uuid: string): number[];
}

const every = 256;

/** One pass over the file; with an earlier table, over what was written since. */
export async function offsetsOf(file: string, earlier?: OffsetTable, signal?: AbortSignal): Promise<OffsetTable> {
  const kept =
    earlier !== undefined && (await isStillValid(file, earlier.cursor)) ? (earlier as GrowingOffsets) : undefined;
  const marks = kept?.marks.slice() ?? [];
  const names = kept?.names ?? uuidIndex();
  const reader = readLines(file, { from: kept?.cursor, signal });
  for await (const batch of reader) {
    for (const { line, offset, bytes } of batch) {
      // Blank lines are not handed out, so the line that would be the mark may be a later one.
      const slot = Math.floor((line - 1) / every);
      while (marks.length <= slot) marks.push({ offset, line });
      if (bytes !== undefined) names.addFrom(bytes, line);
    }
  }
  names.sort();
  const { cursor } = reader;
  const table: GrowingOffsets = {
    cursor,
    lines: cursor.lines,
    marks,
    names,
    before(line) {
      const slot = Math.max(0, Math.min(Math.floor((line - 1) / every), marks.length - 1));
      const mark = marks[slot];
      if (mark === undefined || (mark.line > line && slot === 0)) return { offset: 0, line: 1 };
      return mark.line > line ? (marks[slot - 1] ?? { offset: 0, line: 1 }) : mark;
    },
    linesWith: (uuid) => names.linesWith(uuid),
  };
  return table;
}

interface GrowingOffsets extends OffsetTable {
  readonly marks: readonly { readonly offset: number; readonly line: number }[];
  readonly names: UuidIndex;
}

async function isStillValid(file: string, cursor: Cursor): Promise<boolean> {
  const source = await openBytes(file);
  try {
    return await isCursorValid(source, cursor);
  } finally {
    await source.close();
  }
}

const key = Buffer.from('"uuid":"');

/** From uuids to lines in eight bytes each. */
interface UuidIndex {
  /** To be called once all are in: what is asked after that finds its way by halves. */
  sort(): void;
  /** Every `"uuid":"…"` of a line goes in: which one is the line's own is found out when it is looked up. */
  addFrom(bytes: Buffer, line: number): void;
  linesWith(uuid: string): number[];
}

/** A number holds 28 bits of hash and 25 bits of line: 33 million lines, and a wrong guess now and then. */
const lineRange = 2 ** 25;

function uuidIndex(): UuidIndex {
  let packed = new Float64Array(1024);
  let count = 0;
  let sorted = true;

  function add(name: number, line: number): void {
    if (count === packed.length) {
      const larger = new Float64Array(count * 2);
      larger.set(packed);
      packed = larger;
    }
    packed[count++] = name * lineRange + Math.min(line, lineRange - 1);
    sorted = false;
  }

  function firstFrom(value: number): number {
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((packed[middle] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    sort() {
      if (!sorted) packed.subarray(0, count).sort();
      sorted = true;
    },
    addFrom(bytes, line) {
      for (let at = bytes.indexOf(key); at >= 0; at = bytes.indexOf(key, at + key.length)) {
        const from = at + key.length;
        const to = bytes.indexOf(0x22, from);
        if (to > from) add(hash(bytes, from, to), line);
      }
    },
    linesWith(uuid) {
      const bytes = Buffer.from(uuid);
      const wanted = hash(bytes, 0, bytes.length) * lineRange;
      const lines = new Set<number>();
      for (let at = firstFrom(wanted); at < count && (packed[at] ?? 0) < wanted + lineRange; at++) {
        lines.add((packed[at] ?? 0) - wanted);
      }
      return [...lines].sort((a, b) => b - a);
    },
  };
}

/** FNV-1a, cut to 28 bits. */
function hash(bytes: Buffer, from: number, to: number): number {
  let value = 0x811c9dc5;
  for (let at = from; at < to; at++) value = Math.imul(value ^ (bytes[at] ?? 0), 0x01000193);
  return value >>> 4;
}
