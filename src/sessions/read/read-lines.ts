import { isAscii } from "node:buffer";
import { type Cursor, type FileBytes, hasBom, headHash, isBlankLine, isCursorValid, openBytes } from "./byte-source.ts";

/** The bytes of one line. Only 0x0A ends a line; one CR before it and a BOM at the start of the file are left out. */
export interface Line {
  readonly offset: number;
  /** Bytes of content, without CR and newline. */
  readonly length: number;
  /** Counted from 1, blank lines included. */
  readonly line: number;
  /** Valid until the next batch is read: the buffer is reused. Undefined when the line is longer than the limit. */
  readonly bytes: Buffer | undefined;
  /** False only for a last line without a newline, which is included when `tail` is `"give"`. */
  readonly terminated: boolean;
  /** True when the line is ASCII. Determined once per chunk, which is faster than per line. */
  readonly ascii?: boolean;
}

export interface LineOptions {
  /** Continue where an earlier reader stopped. If the cursor is no longer valid, the reader sets `reset` and starts at 0. */
  readonly from?: Cursor | undefined;
  /** Begin at a known line. Not checked. */
  readonly at?: { readonly offset: number; readonly line: number } | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A longer line is skipped without keeping it in memory. */
  readonly maxLineBytes?: number | undefined;
  readonly chunkBytes?: number | undefined;
  /** Bytes after the last newline: `"keep"` (default) leaves them for the next read, `"give"` yields them as a line. */
  readonly tail?: "keep" | "give" | undefined;
}

/** Bytes after the last newline: an incomplete line. */
export interface Tail {
  readonly offset: number;
  readonly length: number;
}

/**
 * Batches of lines, without blank ones. The file is opened when iteration begins and closed on return, break, throw and abort.
 * `cursor`, `tail` and `reset` describe the lines yielded so far.
 */
export interface LineReader extends AsyncIterable<readonly Line[]> {
  readonly cursor: Cursor;
  readonly tail: Tail | undefined;
  readonly reset: boolean;
  /** The file is an archive that was cut off. Known once all lines have been yielded. */
  readonly isCut: boolean;
}

export const maxLineBytes: number = 64 * 1024 * 1024;
const defaultChunkBytes = 512 * 1024;

export function readLines(file: string, options: LineOptions = {}): LineReader {
  const reader: ReaderState = {
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
    const start = await startPosition(source, options, state);
    const splitter = lineSplitter(start, options.maxLineBytes ?? maxLineBytes, options.chunkBytes ?? defaultChunkBytes);
    let head = await headHash(source, start.offset);
    state.cursor = { dev: source.dev, ino: source.ino, offset: start.offset, head, lines: start.line - 1 };
    for (;;) {
      options.signal?.throwIfAborted();
      const count = await source.read(splitter.space(), splitter.readAt());
      state.isCut = source.isCut === true;
      if (count === 0) break;
      const lines = splitter.take(count);
      const { offset, line } = splitter.next();
      if (offset === state.cursor.offset) continue;
      if (state.cursor.offset < 1024) head = await headHash(source, offset);
      if (lines.length > 0) yield lines;
      state.cursor = { dev: source.dev, ino: source.ino, offset, head, lines: line - 1 };
    }
    const tail = splitter.tail();
    if (tail === undefined) return;
    state.tail = { offset: tail.offset, length: tail.length };
    if (options.tail === "give") yield [tail];
  } finally {
    await source.close();
  }
}

async function startPosition(source: FileBytes, { from, at }: LineOptions, state: ReaderState): Promise<Position> {
  if (at !== undefined) return at;
  if (from !== undefined && (await isCursorValid(source, from))) return { offset: from.offset, line: from.lines + 1 };
  state.reset = from !== undefined;
  return { offset: 0, line: 1 };
}

interface Position {
  readonly offset: number;
  readonly line: number;
}

/** Reuses one buffer: an incomplete line moves to its front, and only a line longer than a chunk makes it grow. */
function lineSplitter(start: Position, limit: number, chunk: number) {
  let buffer = Buffer.allocUnsafeSlow(chunk);
  /** The number of bytes kept of the incomplete line. They are at `heldFrom` in the buffer and at `heldAt` in the file. */
  let held = 0;
  let heldFrom = 0;
  let heldAt = start.offset;
  /** Where the incomplete line begins in the file. Before `heldAt` when the line is too long and its bytes are skipped. */
  let lineAt = start.offset;
  let line = start.line;
  let ascii = false;

  const isSkipping = () => lineAt < heldAt;

  /** The free part of the buffer, which the next read fills. Yielded lines point into the buffer, so its bytes move only here. */
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

  /** The lines that `count` more bytes completed. */
  function take(count: number): Line[] {
    const lines: Line[] = [];
    const filled = buffer.subarray(0, held + count);
    ascii = isAscii(filled);
    let from = 0;
    let newline = filled.indexOf(10, held);
    while (newline >= 0) {
      const end = heldAt + newline + 1;
      const complete = isSkipping() || newline - from > limit ? tooLong(end - 1, true) : lineIn(from, newline, true);
      if (complete !== undefined) lines.push(complete);
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
    if (!isSkipping() && held <= limit) return;
    heldAt += held;
    held = 0;
  }

  /** Undefined for a blank line. */
  function lineIn(from: number, to: number, terminated: boolean): Line | undefined {
    const first = lineAt === 0 && hasBom(buffer, from) ? from + 3 : from;
    const last = terminated && to > first && buffer[to - 1] === 13 ? to - 1 : to;
    if (isBlankLine(buffer, first, last)) return undefined;
    const bytes = buffer.subarray(first, last);
    return { offset: lineAt + first - from, length: last - first, line, bytes, terminated, ascii };
  }

  function tooLong(to: number, terminated: boolean): Line {
    return { offset: lineAt, length: to - lineAt, line, bytes: undefined, terminated };
  }

  return {
    space,
    /** The offset in the file of the next read. */
    readAt: () => heldAt + held,
    take,
    /** Where the incomplete line begins, and its number. */
    next: (): Position => ({ offset: lineAt, line }),
    /** The incomplete line; undefined when there is none. */
    tail(): Line | undefined {
      const end = heldAt + held;
      if (end === lineAt) return undefined;
      return isSkipping() ? tooLong(end, false) : lineIn(heldFrom, heldFrom + held, false);
    },
  };
}
