import { isAscii } from "node:buffer";
import { type Cursor, type FileBytes, hasBom, headHash, isBlankLine, isCursorValid, openBytes } from "./byte-source.ts";

/** The bytes of one line. Only 0x0A ends a line; one CR before it and a BOM at the start of the file are left out. */
export interface Line {
  readonly offset: number;
  /** Bytes of content, without CR and newline. */
  readonly length: number;
  /** One past the newline: where the next line begins. */
  readonly end: number;
  /** Counted from 1, blank lines included. */
  readonly line: number;
  /** Borrowed: valid until the next batch is asked for. Absent when the line is longer than the limit. */
  readonly bytes: Buffer | undefined;
  /** False only for a last line without newline, which is given out when `tail` is `"give"`. */
  readonly terminated: boolean;
  /** Known to hold nothing but ASCII: asked once for all lines of a read, since asking costs more than looking. */
  readonly ascii?: boolean;
}

export interface LineOptions {
  /** Continue where an earlier reader stopped. With a cursor that is no longer valid the reader sets `reset` and starts at 0. */
  readonly from?: Cursor | undefined;
  /** Begin at a known line, without a check. */
  readonly at?: { readonly offset: number; readonly line: number } | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A longer line is passed over without being held in memory. */
  readonly maxLineBytes?: number | undefined;
  readonly chunkBytes?: number | undefined;
  /** What becomes of bytes after the last newline: `"keep"` (default) leaves them for the next read. */
  readonly tail?: "keep" | "give" | undefined;
}

/** Bytes after the last newline: not a line yet. */
export interface Tail {
  readonly offset: number;
  readonly length: number;
}

/**
 * A file as batches of lines. Blank lines are passed over. The file is opened when iteration begins and closed on
 * return, break, throw and abort. `cursor`, `tail` and `reset` speak of what was handed out so far.
 */
export interface LineReader extends AsyncIterable<readonly Line[]> {
  readonly file: string;
  readonly cursor: Cursor;
  readonly tail: Tail | undefined;
  readonly reset: boolean;
  /** The file is an archive that ends in the middle; known once all lines were handed out. */
  readonly isCut: boolean;
}

export const maxLineBytes: number = 64 * 1024 * 1024;
const chunkBytes = 512 * 1024;

export function readLines(file: string, options: LineOptions = {}): LineReader {
  const reader: ReaderState = {
    file,
    cursor: { dev: 0, ino: 0, offset: 0, head: "", lines: 0 },
    tail: undefined,
    reset: false,
    isCut: false,
    [Symbol.asyncIterator]: () => batches(file, options, reader),
  };
  return reader;
}

type ReaderState = { -readonly [Key in keyof LineReader]: LineReader[Key] };

async function* batches(
  file: string,
  options: LineOptions,
  state: ReaderState,
): AsyncGenerator<readonly Line[], undefined> {
  options.signal?.throwIfAborted();
  const source = await openBytes(file);
  try {
    const start = await startOf(source, options, state);
    const split = splitter(start, options.maxLineBytes ?? maxLineBytes, options.chunkBytes ?? chunkBytes);
    let head = await headHash(source, start.offset);
    state.cursor = { dev: source.dev, ino: source.ino, offset: start.offset, head, lines: start.line - 1 };
    for (;;) {
      options.signal?.throwIfAborted();
      const count = await source.read(split.space(), split.readAt());
      state.isCut = source.isCut === true;
      if (count === 0) break;
      const lines = split.take(count);
      const { offset, line } = split.next();
      if (offset === state.cursor.offset) continue;
      if (state.cursor.offset < 1024) head = await headHash(source, offset);
      if (lines.length > 0) yield lines;
      state.cursor = { dev: source.dev, ino: source.ino, offset, head, lines: line - 1 };
    }
    const tail = split.tail();
    if (tail === undefined) return;
    state.tail = { offset: tail.offset, length: tail.length };
    if (options.tail === "give") yield [tail];
  } finally {
    await source.close();
  }
}

async function startOf(source: FileBytes, { from, at }: LineOptions, state: ReaderState): Promise<Position> {
  if (at !== undefined) return at;
  if (from === undefined) return { offset: 0, line: 1 };
  if (await isCursorValid(source, from)) return { offset: from.offset, line: from.lines + 1 };
  state.reset = true;
  return { offset: 0, line: 1 };
}

interface Position {
  readonly offset: number;
  readonly line: number;
}

interface Splitter {
  /** Where the next read goes to, in memory and in the file. */
  space(): Uint8Array;
  readAt(): number;
  /** The whole lines that `count` more bytes completed. */
  take(count: number): Line[];
  /** The first byte that belongs to no whole line yet, and the number its line will have. */
  next(): Position;
  tail(): Line | undefined;
}

/** One reused buffer: lines are cut from it, an unfinished one moves to its front, and only a long one makes it grow. */
function splitter(start: Position, limit: number, chunk: number): Splitter {
  let buffer = Buffer.allocUnsafeSlow(chunk);
  /** Bytes of the unfinished line, at `heldFrom` in the buffer and at `heldAt` in the file. */
  let held = 0;
  let heldFrom = 0;
  let heldAt = start.offset;
  let lineAt = start.offset;
  let line = start.line;
  let ascii = false;

  const skipping = () => lineAt < heldAt;

  // Lines handed out point into the buffer, so nothing moves in it before the next read.
  function space(): Uint8Array {
    const fits = held < buffer.length && (buffer.length === chunk || held > chunk);
    if (fits) buffer.copyWithin(0, heldFrom, heldFrom + held);
    else {
      const old = buffer;
      buffer = Buffer.allocUnsafeSlow(held < chunk ? chunk : Math.min(held * 2, limit + chunk + 1));
      old.copy(buffer, 0, heldFrom, heldFrom + held);
    }
    heldFrom = 0;
    return buffer.subarray(held);
  }

  function take(count: number): Line[] {
    const lines: Line[] = [];
    const filled = buffer.subarray(0, held + count);
    ascii = isAscii(filled);
    let from = 0;
    let newline = filled.indexOf(10, held);
    while (newline >= 0) {
      const end = heldAt + newline + 1;
      const found = skipping() || newline - from > limit ? tooLong(end) : cut(from, newline, end, true);
      if (found !== undefined) lines.push(found);
      line++;
      lineAt = end;
      from = newline + 1;
      newline = filled.indexOf(10, from);
    }
    hold(from, filled.length - from);
    return lines;
  }

  function hold(from: number, count: number): void {
    heldFrom = from;
    heldAt += from;
    held = count;
    if (!skipping() && held <= limit) return;
    heldAt += held;
    held = 0;
  }

  function cut(from: number, to: number, end: number, terminated: boolean): Line | undefined {
    const first = lineAt === 0 && hasBom(buffer, from) ? from + 3 : from;
    const last = terminated && to > first && buffer[to - 1] === 13 ? to - 1 : to;
    if (isBlankLine(buffer, first, last)) return undefined;
    const bytes = buffer.subarray(first, last);
    return { offset: lineAt + first - from, length: last - first, end, line, bytes, terminated, ascii };
  }

  function tooLong(end: number): Line {
    return { offset: lineAt, length: end - 1 - lineAt, end, line, bytes: undefined, terminated: true };
  }

  return {
    space,
    readAt: () => heldAt + held,
    take,
    next: () => ({ offset: lineAt, line }),
    tail() {
      const end = heldAt + held;
      if (end === lineAt) return undefined;
      if (skipping()) return { offset: lineAt, length: end - lineAt, end, line, bytes: undefined, terminated: false };
      return cut(heldFrom, heldFrom + held, end, false);
    },
  };
}
