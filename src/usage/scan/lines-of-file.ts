import { readSync } from "node:fs";
import type { ScanMemory } from "./memory.ts";
import { at, event, lineKind, shapeAt, texts } from "./wasm/layout.ts";

/** What is done with the lines of a file that are worth a look. Positions are in memory, `offset` is in the file. */
export interface LineSink {
  /** An answer that is not the last one again: the program has found its parts. */
  answer(start: number, end: number, offset: number, terminated: boolean): void;
  /** A line that takes a closer look; `what` is why the program stopped at it. */
  line(what: number, start: number, end: number, offset: number, terminated: boolean): void;
  /** The front of a user line that is too long to be held, and no tool result. */
  longPrompt(): void;
  /** The end of a long line that was passed over is not what it should be; it lies at `offset`. */
  spoiled(offset: number, length: number): void;
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
    const fresh = base + held;
    const count = readSync(descriptor, memory.bytes, fresh, memory.end - fresh, readAt);
    if (count === 0) {
      if (held > 0 && !passing) tail(fresh);
      held = 0;
      return false;
    }
    readAt += count;
    split(fresh, fresh + count);
    return true;
  }

  function split(fresh: number, filled: number): void {
    memory.bytes[filled] = newlineByte;
    let start = base;
    if (passing) {
      const newline = memory.bytes.indexOf(newlineByte, fresh);
      if (newline === filled) {
        hold(base, filled);
        return;
      }
      endOfPassed(newline, readAt - (filled - newline));
      start = newline + 1;
    }
    start = readLines(memory, start, filled, readAt - filled, sink);
    lineAt = readAt - (filled - start);
    hold(start, filled);
  }

  function endOfPassed(newline: number, end: number): void {
    const { words } = memory.found;
    words[at.lines / 4] = (words[at.lines / 4] as number) + 1;
    if (dropped) sink.tooLong(lineAt, end - lineAt);
    else if (!endsPlainly(memory.bytes, base, newline)) sink.spoiled(lineAt, end - lineAt);
    passing = dropped = false;
  }

  /** Moves the unfinished line to the front, or makes up its mind about one that fills the memory. */
  function hold(start: number, filled: number): void {
    held = filled - start;
    if (!passing && start === base && memory.end - filled < keptOfPassed) {
      dropped = held > maxLineBytes;
      passing = dropped || isOfNoInterest(start);
      if (!passing) memory.roomFor(held * 2);
    }
    const first = passing ? Math.max(start, filled - keptOfPassed) : start;
    if (first > base) memory.bytes.copyWithin(base, first, filled);
    held = filled - first;
  }

  /** Of a line that is not whole yet: true when its front says that nothing behind it can matter. */
  function isOfNoInterest(start: number): boolean {
    const shape = memory.find(start);
    if (shape === 0) return false;
    const kind = memory.bytes.readInt32LE(shape + shapeAt.kind);
    if (kind === lineKind.user) sink.longPrompt();
    return kind === lineKind.user || kind === lineKind.other;
  }

  function tail(end: number): void {
    sink.beforeTail(lineAt);
    memory.bytes[end] = newlineByte;
    const { words } = memory.found;
    const lines = words[at.lines / 4] as number;
    readLines(memory, base, end + 1, lineAt - base, { ...sink, ...unterminated(sink) });
    // A line without its newline is no line yet.
    words[at.lines / 4] = lines;
  }

  return {
    next,
    get offset() {
      return lineAt;
    },
  };
}

/** Lets the program go through the lines in memory; where the first line begins that has no newline before `filled`. */
export function readLines(
  memory: ScanMemory,
  start: number,
  filled: number,
  fileOffset: number,
  sink: Pick<LineSink, "answer" | "line">,
): number {
  memory.found.words[at.next / 4] = start;
  // The program looks for newlines: this one ends its last search, whatever was in memory before.
  memory.bytes[filled] = newlineByte;
  for (;;) {
    const what = memory.run(filled);
    const { words } = memory.found;
    if (what === event.done) return words[at.next / 4] as number;
    const from = words[at.lineFrom / 4] as number;
    const to = words[at.lineTo / 4] as number;
    if (what === event.answer) sink.answer(from, to, fileOffset + from, true);
    else sink.line(what, from, to, fileOffset + from, true);
  }
}

function unterminated(sink: LineSink): Pick<LineSink, "answer" | "line"> {
  return {
    answer: (start, end, offset) => sink.answer(start, end, offset, false),
    line: (what, start, end, offset) => sink.line(what, start, end, offset, false),
  };
}

/** As `endsWell` in the program, for the end of a long line. */
function endsPlainly(bytes: Buffer, start: number, end: number): boolean {
  const last = bytes.subarray(Math.max(start, end - keptOfPassed), end);
  return bytes[end - 1] === 0x7d && !last.includes(texts.answerType) && !last.includes(texts.stopFront);
}
