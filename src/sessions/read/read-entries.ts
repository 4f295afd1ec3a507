import { closeAfter } from "../../files/internal.ts";
import { isTranscriptRecord } from "../formats/claude-code/build-entry.ts";
import { toEntry } from "../formats/claude-code/to-entry.ts";
import type { TranscriptItem } from "../model/entry.ts";
import { hasBom, isBlankLine, openReadable, openTranscriptFile } from "./byte-source.ts";
import { cutArchiveItem, type RecordSource, recordSource, recordsOf } from "./json-records.ts";
import { type Line, type LineOptions, type LineReader, maxLineBytes, readLines } from "./read-lines.ts";

/** Batches of entries and unreadable stretches, in file order. Reading continues after damage. */
export interface EntryReader extends AsyncIterable<readonly TranscriptItem[]> {
  /** How far the file was read, and what was found at its end. */
  readonly lines: LineReader;
}

/** By default a last line without a newline is included if it is a complete record; it is marked `unterminated`. */
export function readEntries(file: string, options: LineOptions = {}): EntryReader {
  const lines = readLines(file, { tail: "give", ...options });
  return {
    lines,
    async *[Symbol.asyncIterator]() {
      let source: RecordSource | undefined;
      for await (const batch of lines) {
        source ??= recordSource(file, lines.cursor);
        const items: TranscriptItem[] = [];
        for (const line of batch) for (const item of itemsIn(source, line)) items.push(item);
        if (items.length > 0) yield items;
      }
      if (lines.isCut) yield [cutArchiveItem(source ?? recordSource(file, lines.cursor), lines)];
    },
  };
}

/** The entries and unreadable stretches of one line: usually one. */
export function itemsIn(source: RecordSource, line: Line): TranscriptItem[] {
  return recordsOf(source, line, isTranscriptRecord).map((record) =>
    record.kind === "unreadable" ? record : toEntry(record),
  );
}

/** All entries and unreadable stretches of a file. */
export async function readAllEntries(reader: EntryReader): Promise<TranscriptItem[]> {
  const items: TranscriptItem[] = [];
  for await (const batch of reader) for (const item of batch) items.push(item);
  return items;
}

/**
 * Reads a transcript backward, the last entry first. Line numbers are not known, so every `line` is 0. A last line without a
 * newline is included if it is complete. Archived files (`.gz`) cannot be read backward.
 */
export async function* readEntriesReverse(file: string, signal?: AbortSignal): AsyncIterable<TranscriptItem> {
  for await (const line of readLinesReverse(file, signal)) {
    yield* itemsIn(line.source, line).reverse();
  }
}

const chunkBytes = 128 * 1024;

type SourceLine = Line & { readonly source: RecordSource };

/** The lines of a file, the last one first, without blank ones. */
export async function* readLinesReverse(file: string, signal?: AbortSignal): AsyncIterable<SourceLine> {
  const handle = await openTranscriptFile(file);
  try {
    const stat = await handle.stat();
    const source = recordSource(file, stat);
    /** Pieces of the line whose beginning has not been reached, the last piece first. */
    let pieces: Buffer[] = [];
    /** Where that line ends: the offset of its newline, or the end of the file. */
    let lineEnd = stat.size;
    for (let end = stat.size; end > 0; ) {
      signal?.throwIfAborted();
      const size = Math.min(chunkBytes, end);
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(size), 0, size, end - size);
      // Fewer bytes than requested: the file was truncated while being read. Earlier lines are still complete.
      const chunk = buffer.subarray(0, bytesRead);
      end -= size;
      let to = chunk.length;
      for (let newline = lastNewline(chunk, to); newline >= 0; newline = lastNewline(chunk, to)) {
        const line = joinLine([...pieces, chunk.subarray(newline + 1, to)], end + newline + 1, lineEnd, stat.size);
        if (line !== undefined) yield { ...line, source };
        pieces = [];
        lineEnd = end + newline;
        to = newline;
      }
      pieces.push(chunk.subarray(0, to));
      // The line is too long to be kept in memory: only its position is needed.
      if (lineEnd - end > maxLineBytes) pieces = [];
    }
    const first = joinLine(pieces, 0, lineEnd, stat.size);
    if (first !== undefined) yield { ...first, source };
  } finally {
    await handle.close();
  }
}

function lastNewline(chunk: Buffer, to: number): number {
  return to === 0 ? -1 : chunk.lastIndexOf(10, to - 1);
}

/** Undefined for a blank line. */
function joinLine(pieces: readonly Buffer[], offset: number, lineEnd: number, fileEnd: number): Line | undefined {
  const position = { line: 0, terminated: lineEnd < fileEnd };
  if (lineEnd - offset > maxLineBytes) return { ...position, offset, length: lineEnd - offset, bytes: undefined };
  const all = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces.toReversed());
  const from = offset === 0 && hasBom(all) ? 3 : 0;
  const to = position.terminated && all.length > from && all[all.length - 1] === 13 ? all.length - 1 : all.length;
  const bytes = all.subarray(from, to);
  return isBlankLine(bytes) ? undefined : { ...position, offset: offset + from, length: bytes.length, bytes };
}

/** With its quotes: inside another JSON string they would be escaped. */
const agentSettingText = Buffer.from('"agent-setting"');

/** The agent that a session was started as, from its last `agent-setting` line; undefined when it has none. */
export async function agentSettingIn(file: string): Promise<string | undefined> {
  // Most sessions have no such line, and this search is faster than splitting the file into lines.
  if ((await findLastLine(agentSettingText, file)) === undefined) return undefined;
  for await (const line of readLinesReverse(file)) {
    if (line.bytes?.includes(agentSettingText) !== true) continue;
    for (const entry of itemsIn(line.source, line).reverse()) {
      if (entry.kind === "agent-setting" && entry.agentSetting !== undefined) return entry.agentSetting;
    }
  }
  return undefined;
}

const searchChunkBytes = 512 * 1024;

const boundaryText = Buffer.from('"compact_boundary"');

/** The offset of the last line that may be a compaction boundary. */
export function lastBoundaryLine(file: string): Promise<number | undefined> {
  return findLastLine(boundaryText, file);
}

/** The offset of the last line that contains a text; undefined when no line does. Reads backward, and only as far as needed. */
async function findLastLine(text: Buffer, file: string): Promise<number | undefined> {
  const handle = await openReadable(file);
  return closeAfter(handle, async () => {
    let textAt = -1;
    const buffer = Buffer.allocUnsafeSlow(searchChunkBytes + text.length);
    for (let end = (await handle.stat()).size; end > 0; end = Math.max(0, end - searchChunkBytes)) {
      const from = Math.max(0, end - searchChunkBytes);
      // The text may begin in one chunk and end in the next. Once it is found, only the beginning of its line is needed.
      const length = textAt < 0 ? end - from + text.length - 1 : end - from;
      const { bytesRead } = await handle.read(buffer, 0, length, from);
      const chunk = buffer.subarray(0, bytesRead);
      const at = textAt < 0 ? chunk.lastIndexOf(text) : chunk.length;
      if (at < 0) continue;
      if (textAt < 0) textAt = from + at;
      const newline = at === 0 ? -1 : chunk.lastIndexOf(10, at - 1);
      if (newline >= 0) return from + newline + 1;
    }
    return textAt < 0 ? undefined : 0;
  });
}
