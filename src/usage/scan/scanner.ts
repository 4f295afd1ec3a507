import { closeSync, openSync, readSync } from "node:fs";
import { maxLineBytes } from "../../sessions/internal.ts";
import type { CallTable } from "../calls/call-table.ts";
import { emptyRecord, type NameTable } from "../calls/usage-record.ts";
import { addAncestor, forkSource, type ScanProgress } from "./file-facts.ts";
import { chunkStart, eventDone, fileOffset, wordLineFrom, wordLines, wordLineTo, wordNext } from "./kernel/layout.ts";
import { type LineSink, lineSink } from "./line-sink.ts";
import type { ScanMemory } from "./scan-kernel.ts";

export interface Scanner {
  /**
   * Reads a file from `progress.offset` to its end. Whole lines move `progress` on; a last line without newline that
   * parses is counted too, but only once `beforeTail` has had its look at what is there to stay.
   */
  scan(file: ScannedFile, progress: ScanProgress, beforeTail?: () => void): Promise<void>;
}

export interface ScannedFile {
  readonly path: string;
  /** Its number in the table of calls. */
  readonly number: number;
  readonly agent?: string | undefined;
  /** It is an archive, and what was archived is read too: then a missing end is no loss. */
  readonly isCopy?: boolean | undefined;
}

export interface ScanOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the bytes read since the last call, every few megabytes. */
  readonly onBytes?: ((count: number) => void) | undefined;
  /** Reading stops once this much of a file was read; what is left is read the next time. */
  readonly maxBytes?: number | undefined;
}

const chunksPerBreath = 32;

/** One scanner for many files: they share its memory. */
export function openScanner(table: CallTable, names: NameTable, options: ScanOptions = {}): Scanner {
  const record = emptyRecord();
  const { memory } = table;
  const state = { record, names, table };

  return {
    scan(file, progress, beforeTail) {
      if (progress.offset === 0 && file.agent === undefined) addAncestor(progress.facts, forkSource(file.path));
      return file.path.endsWith(".gz")
        ? scanArchived(file, progress, beforeTail)
        : scanPlain(file, progress, beforeTail);
    },
  };

  async function scanPlain(...[file, progress, beforeTail]: Parameters<Scanner["scan"]>): Promise<void> {
    const descriptor = openSync(file.path, "r");
    try {
      const sink = lineSink(state, { ...file, agent: file.agent, descriptor, progress, beforeTail: stay });
      const pass = readChunks(memory, descriptor, progress.offset, maxLineBytes, sink);
      const limit = progress.offset + (options.maxBytes ?? Infinity);
      let isDone = false;
      for (let chunks = 1; pass.next(); chunks++) {
        if (pass.offset > limit) break;
        if (chunks % chunksPerBreath !== 0) continue;
        moveTo(pass.offset);
        // Others in this process get a turn, and an abort is heard.
        await new Promise(setImmediate);
        options.signal?.throwIfAborted();
      }
      stay(pass.offset);

      function stay(offset: number): void {
        if (isDone) return;
        isDone = true;
        moveTo(offset);
        beforeTail?.();
      }

      function moveTo(offset: number): void {
        options.onBytes?.(offset - progress.offset);
        progress.offset = offset;
        progress.lines = memory.words[wordLines] as number;
      }
    } finally {
      closeSync(descriptor);
    }
  }

  /** An archived file is read through its compression, from its beginning each time. */
  async function scanArchived(...[file, progress, beforeTail]: Parameters<Scanner["scan"]>): Promise<void> {
    // Loaded on demand: most people have no archives.
    const { cutArchive, readLines } = await import("../../sessions/internal.ts");
    const lines = readLines(file.path, { tail: "give", signal: options.signal });
    let isDone = false;
    const stay = () => {
      if (isDone) return;
      isDone = true;
      options.onBytes?.(lines.cursor.offset);
      progress.offset = lines.cursor.offset;
      progress.lines = lines.cursor.lines;
      beforeTail?.();
    };
    const sink = lineSink(state, { ...file, agent: file.agent, descriptor: undefined, progress, beforeTail: stay });
    for await (const batch of lines) {
      for (const { bytes, length, offset, terminated } of batch) {
        if (!terminated) stay();
        if (bytes === undefined) sink.tooLong(offset, length);
        else {
          memory.roomFor(length + 1);
          bytes.copy(memory.bytes, chunkStart);
          memory.bytes[chunkStart + length] = 10;
          scanLines(memory, chunkStart, chunkStart + length + 1, offset - chunkStart, sink, terminated);
        }
      }
    }
    if (lines.isCut) throw cutArchive(file.path);
    stay();
  }
}

/** One way through a file, chunk by chunk. */
interface ChunkReader {
  /** Reads a chunk and gives its lines to the sink; false at the end of the file. */
  next(): boolean;
  /** One past the last newline: where a later pass goes on. */
  readonly offset: number;
}

const newlineByte = 10;

/** Goes through a file from `from` on. A line that does not fit makes the memory grow; one over `maxLineBytes` is passed over. */
function readChunks(
  memory: ScanMemory,
  descriptor: number,
  from: number,
  maxLineBytes: number,
  sink: LineSink,
): ChunkReader {
  const longestEnd = chunkStart + maxLineBytes + 1;
  let held = 0;
  let lineAt = from;
  let readAt = from;
  /** The line at `lineAt` is too long: nothing of it is held. */
  let isTooLong = false;

  return {
    next,
    get offset() {
      return lineAt;
    },
  };

  function next(): boolean {
    const fresh = chunkStart + held;
    const room = Math.min(memory.end, longestEnd) - fresh;
    const count = readSync(descriptor, memory.bytes, fresh, room, readAt);
    if (count === 0) {
      if (held > 0) tail(fresh);
      held = 0;
      return false;
    }
    readAt += count;
    split(fresh, fresh + count);
    return true;
  }

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
    sink.beforeTail(lineAt);
    const lines = memory.words[wordLines] as number;
    memory.bytes[end] = newlineByte;
    scanLines(memory, chunkStart, end + 1, lineAt - chunkStart, sink, false);
    // A line without its newline is no line yet.
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
