import { closeAfter } from "../../files/internal.ts";
import { Problem } from "../../protocol/internal.ts";
import type { TranscriptItem } from "../model/entry.ts";
import { type Cursor, isCursorValid, openBytes } from "./byte-source.ts";
import { type RecordSource, recordSource } from "./json-records.ts";
import { itemsIn, readEntriesReverse } from "./read-entries.ts";
import { readLines } from "./read-lines.ts";

/** Which entries: from a line number or uuid on, around a uuid, or the last ones. */
export type WindowRequest = (
  | { readonly from: number | string }
  | { readonly around: string }
  | { readonly last: number }
) & { readonly limit?: number };

const defaultLimit = 100;

/** Reads only the requested lines. `table` is called when their offsets are needed. */
export async function readEntryWindow(
  file: string,
  request: WindowRequest,
  table: () => Promise<OffsetTable>,
  signal?: AbortSignal,
): Promise<TranscriptItem[]> {
  const limit = Math.max(0, Math.floor(request.limit ?? ("last" in request ? request.last : defaultLimit)));
  if ("last" in request) return lastItems(Math.min(limit, Math.max(0, Math.floor(request.last))));
  const offsets = await table();
  if ("around" in request) {
    const line = await lineOf(request.around, offsets);
    return itemsFrom(Math.max(1, line - Math.floor(limit / 2)), limit, offsets);
  }
  const line = typeof request.from === "number" ? request.from : await lineOf(request.from, offsets);
  return itemsFrom(Math.max(1, line), limit, offsets);

  async function lastItems(count: number): Promise<TranscriptItem[]> {
    if (count === 0) return [];
    if (file.endsWith(".gz")) {
      const offsets = await table();
      // Some of the last lines may be blank, so more of them are read.
      const start = Math.max(1, offsets.cursor.lines - count - 255);
      return (await itemsFrom(start, Number.MAX_SAFE_INTEGER, offsets)).slice(-count);
    }
    const items: TranscriptItem[] = [];
    for await (const item of readEntriesReverse(file, signal)) {
      items.push(item);
      if (items.length === count) break;
    }
    return items.reverse();
  }

  async function itemsFrom(firstLine: number, count: number, offsets: OffsetTable): Promise<TranscriptItem[]> {
    const items: TranscriptItem[] = [];
    if (count === 0) return items;
    const reader = readLines(file, { at: offsets.before(firstLine), tail: "give", signal, chunkBytes: 128 * 1024 });
    let source: RecordSource | undefined;
    for await (const batch of reader) {
      source ??= recordSource(file, reader.cursor);
      for (const line of batch) {
        if (line.line < firstLine) continue;
        for (const item of itemsIn(source, line)) items.push(item);
        if (items.length >= count) return items.slice(0, count);
      }
    }
    return items;
  }

  async function lineOf(uuid: string, offsets: OffsetTable): Promise<number> {
    for (const line of offsets.uuids.get(uuid)?.toReversed() ?? []) {
      const [item] = await itemsFrom(line, 1, offsets);
      if (item !== undefined && item.kind !== "unreadable" && item.uuid === uuid) return line;
    }
    throw new Problem("sessions/no-entry", `${file} has no entry ${uuid}.`, { about: { file, uuid } });
  }
}

/** Offsets of every 256th line and lines of all uuids, for reading from the middle of a file. */
export interface OffsetTable {
  readonly marks: readonly { readonly offset: number; readonly line: number }[];
  /** The lines that contain a uuid, in order. */
  readonly uuids: Map<string, number[]>;
  /** How far the file has been read. A later table continues from here. */
  readonly cursor: Cursor;
  /** The nearest known position at or before a line. */
  before(line: number): { offset: number; line: number };
}

const markInterval = 256;

/** Reads the file once; with an earlier table, only the lines after it. */
export async function offsetsOf(file: string, earlier?: OffsetTable, signal?: AbortSignal): Promise<OffsetTable> {
  const isValid = earlier !== undefined && (await isStillValid(file, earlier.cursor));
  const base = isValid ? earlier : undefined;
  const marks = base?.marks.slice() ?? [];
  const uuids = base?.uuids ?? new Map<string, number[]>();
  const reader = readLines(file, { from: base?.cursor, signal });
  for await (const batch of reader) {
    for (const { line, offset, bytes } of batch) {
      // Blank lines are not yielded, so the mark of a slot may be a later line.
      const slot = Math.floor((line - 1) / markInterval);
      while (marks.length <= slot) marks.push({ offset, line });
      if (bytes !== undefined) noteUuids(uuids, bytes, line);
    }
  }
  const { cursor } = reader;
  return {
    cursor,
    marks,
    uuids,
    before(line) {
      const slot = Math.max(0, Math.min(Math.floor((line - 1) / markInterval), marks.length - 1));
      const mark = marks[slot];
      if (mark === undefined || (mark.line > line && slot === 0)) return { offset: 0, line: 1 };
      return mark.line > line ? (marks[slot - 1] ?? { offset: 0, line: 1 }) : mark;
    },
  };
}

async function isStillValid(file: string, cursor: Cursor): Promise<boolean> {
  const source = await openBytes(file);
  return closeAfter(source, () => isCursorValid(source, cursor));
}

const uuidKey = Buffer.from('"uuid":"');

/** Notes every `"uuid":"…"` of a line, including nested ones: a lookup checks which of them is the line's own. */
function noteUuids(lines: Map<string, number[]>, bytes: Buffer, line: number): void {
  for (let at = bytes.indexOf(uuidKey); at >= 0; at = bytes.indexOf(uuidKey, at + uuidKey.length)) {
    const from = at + uuidKey.length;
    const uuid = bytes.toString("utf8", from, bytes.indexOf(0x22, from));
    const known = lines.get(uuid);
    if (known === undefined) lines.set(uuid, [line]);
    else known.push(line);
  }
}
