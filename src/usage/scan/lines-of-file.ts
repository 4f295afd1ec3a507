import { readSync } from "node:fs";
import type { ScanMemory } from "./memory.ts";

/** What is done with the lines of a file. Positions are in memory, `offset` is in the file. */
export interface LineSink {
  /** A whole line, without its newline; the byte at `end` is a control character. */
  line(start: number, end: number, offset: number, terminated: boolean): void;
  /** Contract: true when the line that begins here cannot matter, whatever follows; then the rest of it is not held. */
  passOver(start: number, end: number): boolean;
  /** The end of a line that was passed over: its last bytes, and where it lies. */
  passed(start: number, end: number, offset: number, length: number): void;
  /** A line longer than can be held. */
  tooLong(offset: number, length: number): void;
}

/** One way through a file, chunk by chunk. */
export interface Pass {
  /** Reads a chunk and gives its lines to the sink; false at the end of the file. */
  next(): boolean;
  /** One past the last newline: where a later pass goes on. */
  readonly offset: number;
}

const newlineByte = 10;
const keptOfPassed = 2048;

/** Goes through a file from `from` on. Only a long line that matters makes the memory grow. */
export function passThrough(
  memory: ScanMemory,
  descriptor: number,
  from: number,
  maxLineBytes: number,
  sink: LineSink,
): Pass {
  const { start: base } = memory;
  let held = 0;
  let lineAt = from;
  let readAt = from;
  /** The line at `lineAt` is being passed over; what is held is its end so far. `dropped`: because of its length. */
  let passing = false;
  let dropped = false;

  function next(): boolean {
    const at = base + held;
    const count = readSync(descriptor, memory.bytes, at, memory.end - at, readAt);
    if (count === 0) {
      if (held === 0 || passing) return false;
      memory.bytes[at] = newlineByte;
      sink.line(base, at, lineAt, false);
      held = 0;
      return false;
    }
    readAt += count;
    split(at, at + count);
    return true;
  }

  function split(fresh: number, filled: number): void {
    const { bytes } = memory;
    bytes[filled] = newlineByte;
    let start = base;
    for (
      let newline = bytes.indexOf(newlineByte, fresh);
      newline < filled;
      newline = bytes.indexOf(newlineByte, start)
    ) {
      const end = readAt - (filled - newline);
      if (dropped) sink.tooLong(lineAt, end - lineAt);
      else if (passing) sink.passed(start, newline, lineAt, end - lineAt);
      else sink.line(start, newline, lineAt, true);
      passing = dropped = false;
      lineAt = end + 1;
      start = newline + 1;
    }
    hold(start, filled);
  }

  /** Moves the unfinished line to the front, or makes up its mind about one that fills the memory. */
  function hold(start: number, filled: number): void {
    held = filled - start;
    const isFull = start === base && memory.end - filled < keptOfPassed;
    if (!passing && isFull) {
      dropped = held > maxLineBytes;
      passing = dropped || sink.passOver(start, filled);
      if (!passing) memory.roomFor(held * 2);
    }
    const from = passing ? Math.max(start, filled - keptOfPassed) : start;
    if (from > base) memory.bytes.copyWithin(base, from, filled);
    held = filled - from;
  }

  return {
    next,
    get offset() {
      return lineAt;
    },
  };
}
