import { readSync } from "node:fs";
import { chunkStart, eventDone, wordLineFrom, wordLines, wordLineTo, wordNext } from "./kernel/layout.ts";
import type { ScanMemory } from "./scan-kernel.ts";

/** What is done with the lines of a file that are worth a look. */
export interface LineSink {
  /** `event` is why the kernel stopped at it. `start` and `end` are in memory, `offset` is in the file. */
  line(event: number, start: number, end: number, offset: number, terminated: boolean): void;
  /** A line longer than can be held. */
  tooLong(offset: number, length: number): void;
  /** Only a last line without newline is left: everything before `offset` is there to stay. */
  beforeTail(offset: number): void;
}

/** One way through a file, chunk by chunk. */
export interface Pass {
  /** Reads a chunk and gives its lines to the sink; false at the end of the file. */
  next(): boolean;
  /** One past the last newline: where a later pass goes on. */
  readonly offset: number;
}

const newlineByte = 10;

/** Goes through a file from `from` on. A line that does not fit makes the memory grow; one over `maxLineBytes` is passed over. */
export function passThrough(
  memory: ScanMemory,
  descriptor: number,
  from: number,
  maxLineBytes: number,
  sink: LineSink,
): Pass {
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
    split(fresh + count);
    return true;
  }

  function split(filled: number): void {
    let start = chunkStart;
    if (isTooLong) {
      const newline = memory.bytes.subarray(0, filled).indexOf(newlineByte, start);
      if (newline < 0) return;
      start = newline + 1;
      memory.words[wordLines] = (memory.words[wordLines] as number) + 1;
      sink.tooLong(lineAt, readAt - (filled - newline) - lineAt);
      isTooLong = false;
    }
    start = readLines(memory, start, filled, readAt - filled, sink, true);
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
    readLines(memory, chunkStart, end + 1, lineAt - chunkStart, sink, false);
    // A line without its newline is no line yet.
    memory.words[wordLines] = lines;
  }
}

/** Lets the kernel go through the lines in memory; where the first line begins that has no newline before `filled`. */
export function readLines(
  memory: ScanMemory,
  start: number,
  filled: number,
  fileOffset: number,
  sink: Pick<LineSink, "line">,
  terminated: boolean,
): number {
  memory.words[wordNext] = start;
  // The kernel looks for newlines: this one ends its last search, whatever was in memory before.
  memory.bytes[filled] = newlineByte;
  for (;;) {
    const event = memory.run(filled);
    const { words } = memory;
    if (event === eventDone) return words[wordNext] as number;
    const from = words[wordLineFrom] as number;
    sink.line(event, from, words[wordLineTo] as number, fileOffset + from, terminated);
  }
}
