import { closeSync, openSync, readSync } from "node:fs";
import { maxLineBytes } from "../../sessions/internal.ts";
import type { CallTable } from "../calls/call-table.ts";
import type { NameTable } from "../calls/usage-record.ts";
import { addAncestor, forkSource, type ScanProgress } from "./file-facts.ts";
import { chunkStart, eventDone, fileOffset, wordLineFrom, wordLines, wordLineTo, wordNext } from "./kernel/layout.ts";
import { type LineSink, lineSink, type ScannedFile } from "./line-sink.ts";
import type { ScanMemory } from "./scan-kernel.ts";

export interface ScanOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the bytes read since the last call, every few megabytes. */
  readonly onBytes?: ((count: number) => void) | undefined;
  /** Reading stops once this much of a file was read; what is left is read the next time. */
  readonly maxBytes?: number | undefined;
}

const chunksPerBreath = 32;

/**
 * Reads a file from `progress.offset` to its end. Whole lines move `progress` on. A last line without newline that parses is counted too,
 * after `beforeTail` was called: what is read until then is final.
 */
export async function scanTranscript(
  table: CallTable,
  names: NameTable,
  file: ScannedFile,
  progress: ScanProgress,
  options: ScanOptions = {},
  beforeTail?: () => void,
): Promise<void> {
  const { memory } = table;
  let isFinal = false;
  if (progress.offset === 0 && file.agent === undefined) addAncestor(progress.facts, forkSource(file.path));
  return file.path.endsWith(".gz") ? scanArchived() : scanPlain();

  async function scanPlain(): Promise<void> {
    const descriptor = openSync(file.path, "r");
    try {
      const sink = lineSink(table, names, { ...file, descriptor, progress });
      const limit = progress.offset + (options.maxBytes ?? Infinity);
      const lines = () => memory.words[wordLines] as number;
      let end = progress.offset;
      let chunks = 0;
      for (end of readChunks(memory, descriptor, end, sink, (offset) => finish(offset, lines()))) {
        if (end > limit) break;
        chunks++;
        if (chunks % chunksPerBreath !== 0) continue;
        moveTo(end, lines());
        // Lets other work of this process run, and notices an abort.
        await new Promise(setImmediate);
        options.signal?.throwIfAborted();
      }
      finish(end, lines());
    } finally {
      closeSync(descriptor);
    }
  }

  /** An archived file is read through its compression, from its beginning each time. */
  async function scanArchived(): Promise<void> {
    // Loaded on demand: most people have no archives.
    const { cutArchive, readLines } = await import("../../sessions/internal.ts");
    const lines = readLines(file.path, { tail: "give", signal: options.signal });
    const sink = lineSink(table, names, { ...file, descriptor: undefined, progress });
    for await (const batch of lines) {
      for (const { bytes, length, offset, terminated } of batch) {
        if (!terminated) finish(lines.cursor.offset, lines.cursor.lines);
        if (bytes === undefined) sink.tooLong(offset, length);
        else {
          memory.roomFor(length + 1);
          bytes.copy(memory.bytes, chunkStart);
          memory.bytes[chunkStart + length] = newlineByte;
          scanLines(memory, chunkStart, chunkStart + length + 1, offset - chunkStart, sink, terminated);
        }
      }
    }
    if (lines.isCut) throw cutArchive(file.path);
    finish(lines.cursor.offset, lines.cursor.lines);
  }

  function finish(offset: number, lines: number): void {
    if (isFinal) return;
    isFinal = true;
    moveTo(offset, lines);
    beforeTail?.();
  }

  function moveTo(offset: number, lines: number): void {
    options.onBytes?.(offset - progress.offset);
    progress.offset = offset;
    progress.lines = lines;
  }
}

const newlineByte = 10;

/**
 * Gives the lines of a file to the sink, chunk by chunk from `from` on, and yields the position after the last newline of each chunk.
 * A line that does not fit makes the memory grow; one over `maxLineBytes` is passed over.
 */
function* readChunks(
  memory: ScanMemory,
  descriptor: number,
  from: number,
  sink: LineSink,
  onTail: (offset: number) => void,
): Generator<number, undefined> {
  const longestEnd = chunkStart + maxLineBytes + 1;
  let held = 0;
  let lineAt = from;
  let readAt = from;
  /** The line at `lineAt` is too long: nothing of it is held. */
  let isTooLong = false;
  while (true) {
    const fresh = chunkStart + held;
    const room = Math.min(memory.end, longestEnd) - fresh;
    const count = readSync(descriptor, memory.bytes, fresh, room, readAt);
    if (count === 0) break;
    readAt += count;
    split(fresh, fresh + count);
    yield lineAt;
  }
  if (held > 0) tail(chunkStart + held);

  /** Bytes before `fresh` were there before and have no newline. */
  function split(fresh: number, filled: number): void {
    let start = chunkStart;
    if (isTooLong) {
      const newline = memory.bytes.subarray(0, filled).indexOf(newlineByte, start);
      if (newline < 0) return;
      start = newline + 1;
      memory.words[wordLines] = (memory.words[wordLines] as number) + 1;
      sink.tooLong(lineAt, readAt - (filled - newline) - lineAt);
      isTooLong = false;
    }
    const searchFrom = Math.max(start, fresh);
    const newline = memory.bytes.subarray(searchFrom, filled).lastIndexOf(newlineByte);
    if (newline >= 0) {
      const end = searchFrom + newline + 1;
      scanLines(memory, start, end, readAt - filled, sink, true);
      start = end;
    }
    lineAt = readAt - (filled - start);
    held = filled - start;
    if (start > chunkStart) memory.bytes.copyWithin(chunkStart, start, filled);
    else if (filled === longestEnd) {
      isTooLong = true;
      held = 0;
    } else if (filled === memory.end) memory.roomFor(Math.min(held * 2, maxLineBytes + 1));
  }

  function tail(end: number): void {
    onTail(lineAt);
    const lines = memory.words[wordLines] as number;
    memory.bytes[end] = newlineByte;
    scanLines(memory, chunkStart, end + 1, lineAt - chunkStart, sink, false);
    // A line without its newline is not counted yet.
    memory.words[wordLines] = lines;
  }
}

/** Scans whole lines in memory. `offset` plus an address is the position in the file. */
export function scanLines(
  memory: ScanMemory,
  start: number,
  end: number,
  offset: number,
  sink: Pick<LineSink, "line">,
  terminated: boolean,
): void {
  memory.words[wordNext] = start;
  memory.figures[fileOffset / 8] = offset;
  for (let event = memory.run(end); event !== eventDone; event = memory.run(end)) {
    const { words } = memory;
    const from = words[wordLineFrom] as number;
    sink.line(event, from, words[wordLineTo] as number, offset + from, terminated);
  }
}
