import { isTranscriptRecord, toEntry } from "../formats/claude-code/to-entry.ts";
import type { TranscriptItem } from "../model/entry.ts";
import { hasBom, isBlankLine, openReadable, openTranscriptFile } from "./byte-source.ts";
import { type RecordSource, recordSource, recordsOf } from "./json-records.ts";
import { type Line, maxLineBytes } from "./read-lines.ts";

const chunkBytes = 128 * 1024;

/**
 * A transcript from its end: the last entry first. Lines are not counted on this way, so every `line` is 0. A last line
 * without newline is given if it is whole. Of an archived file there is no end to begin at: ask a session's `entries`.
 */
export async function* readEntriesReverse(
  file: string,
  signal?: AbortSignal,
): AsyncGenerator<TranscriptItem, undefined> {
  for await (const line of readLinesReverse(file, signal)) {
    for (const record of recordsOf(line.source, line, isTranscriptRecord).toReversed()) {
      yield record.kind === "unreadable" ? record : toEntry(record);
    }
  }
}

/** Whole lines from the end of a file; blank ones are passed over. */
export async function* readLinesReverse(
  file: string,
  signal?: AbortSignal,
): AsyncGenerator<Line & { source: RecordSource }, undefined> {
  const handle = await openTranscriptFile(file);
  try {
    const stat = await handle.stat();
    const source = recordSource(file, stat);
    /** Pieces of the line whose beginning has not been reached, last one first, and where that line ends. */
    let pieces: Buffer[] = [];
    let lineEnd = stat.size;
    for (let end = stat.size; end > 0; ) {
      signal?.throwIfAborted();
      const size = Math.min(chunkBytes, end);
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(size), 0, size, end - size);
      // The file was cut while we read it: what lay further back is still whole.
      const chunk = buffer.subarray(0, bytesRead);
      end -= size;
      let to = chunk.length;
      for (let newline = lastNewline(chunk, to); newline >= 0; newline = lastNewline(chunk, to)) {
        const line = whole([...pieces, chunk.subarray(newline + 1, to)], end + newline + 1, lineEnd, stat.size);
        if (line !== undefined) yield { ...line, source };
        pieces = [];
        lineEnd = end + newline;
        to = newline;
      }
      pieces.push(chunk.subarray(0, to));
      // A line longer than any we hold in memory: only its place is kept.
      if (lineEnd - end > maxLineBytes) pieces = [];
    }
    const first = whole(pieces, 0, lineEnd, stat.size);
    if (first !== undefined) yield { ...first, source };
  } finally {
    await handle.close();
  }
}

function lastNewline(chunk: Buffer, to: number): number {
  return to === 0 ? -1 : chunk.lastIndexOf(10, to - 1);
}

/** `lineEnd` is the place of the newline, or of the end of the file. */
function whole(pieces: readonly Buffer[], offset: number, lineEnd: number, fileEnd: number): Line | undefined {
  const place = { end: Math.min(lineEnd + 1, fileEnd), line: 0, terminated: lineEnd < fileEnd };
  if (lineEnd - offset > maxLineBytes) return { ...place, offset, length: lineEnd - offset, bytes: undefined };
  const all = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces.toReversed());
  const from = offset === 0 && hasBom(all) ? 3 : 0;
  const to = place.terminated && all.length > from && all[all.length - 1] === 13 ? all.length - 1 : all.length;
  const bytes = all.subarray(from, to);
  return isBlankLine(bytes) ? undefined : { ...place, offset: offset + from, length: bytes.length, bytes };
}

/** A whole JSON string: inside another one its quotes would have backslashes. */
const mark = Buffer.from('"agent-setting"');

/** The agent that a session was started as, by its last line of that kind; undefined when it has none. */
export async function agentSettingIn(file: string): Promise<string | undefined> {
  // Most sessions have none, and looking for it in lines costs more.
  if ((await findLastLine(mark, file)) === undefined) return undefined;
  for await (const line of readLinesReverse(file)) {
    if (line.bytes?.includes(mark) !== true) continue;
    for (const record of recordsOf(line.source, line, isTranscriptRecord).toReversed()) {
      const entry = record.kind === "unreadable" ? undefined : toEntry(record);
      if (entry?.kind === "agent-setting" && entry.agentSetting !== undefined) return entry.agentSetting;
    }
  }
  return undefined;
}

const searchChunkBytes = 512 * 1024;

/** A whole JSON string: inside another one its quotes would have backslashes. */
const boundary = Buffer.from('"compact_boundary"');

/** Where the last line begins that may be a compaction. */
export function lastBoundaryLine(file: string): Promise<number | undefined> {
  return findLastLine(boundary, file);
}

/**
 * Where the last line begins that holds a mark, found from the end of the file without reading what lies before it. Undefined when there
 * is none. What the line really is, its parser says.
 */
async function findLastLine(text: Buffer, file: string): Promise<number | undefined> {
  const handle = await openReadable(file);
  try {
    let found = -1;
    const buffer = Buffer.allocUnsafeSlow(searchChunkBytes + text.length);
    for (let end = (await handle.stat()).size; end > 0; end = Math.max(0, end - searchChunkBytes)) {
      const from = Math.max(0, end - searchChunkBytes);
      // A mark may lie across two chunks. Once it is found, only the beginning of its line is looked for.
      const wanted = found < 0 ? end - from + text.length - 1 : end - from;
      const { bytesRead } = await handle.read(buffer, 0, wanted, from);
      const chunk = buffer.subarray(0, bytesRead);
      const at = found < 0 ? chunk.lastIndexOf(text) : chunk.length;
      if (at < 0) continue;
      if (found < 0) found = from + at;
      const newline = at === 0 ? -1 : chunk.lastIndexOf(10, at - 1);
      if (newline >= 0) return from + newline + 1;
    }
    return found < 0 ? undefined : 0;
  } finally {
    await handle.close();
  }
}
