import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { isRecord, type JsonRecord, type Line, maxLineBytes, readLines, recordsOf } from "../../sessions/index.ts";
import { hashText } from "../calls/hash.ts";
import type { Names } from "../calls/names.ts";
import type { CallTable } from "../calls/table.ts";
import { readObject } from "../read-object.ts";
import { emptyRecord, rank } from "../record.ts";
import { finder } from "./find-bytes.ts";
import { lineReader, type Saw, saw } from "./line-reader.ts";
import { type LineSink, passThrough } from "./lines-of-file.ts";
import { openMemory } from "./memory.ts";
import type { LineKind } from "./shape.ts";
import { timeBefore } from "./time-before.ts";
import { type Told, tellAnswer, tellRecord } from "./told.ts";

/** How far a file has been read, and what was found on the way beside its calls. */
export interface Progress {
  /** One past the last newline that was read. */
  offset: number;
  lines: number;
  readonly told: Told;
  /** Lines that hold no record, or not a whole one. */
  unreadable: number;
  readonly unreadablePlaces: { readonly line: number; readonly offset: number; readonly why: string }[];
  /** Lines that took a real JSON parser. */
  fallback: number;
}

export interface Scanner {
  /**
   * Reads a file from `progress.offset` to its end. Whole lines move `progress` on; a last line without newline that
   * parses is counted too, but only once `beforeTail` has had its look at what is there to stay.
   */
  scan(path: string, file: number, isAgent: boolean, progress: Progress, beforeTail?: () => void): Promise<void>;
}

export interface ScanOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the bytes read since the last call, every few megabytes. */
  readonly onBytes?: ((count: number) => void) | undefined;
}

const placesKept = 5;
const firstLines = 50;
const tailBytes = 1024;
const chunksPerBreath = 32;

/** One scanner for many files: its buffers and what it learned about the look of lines are kept between them. */
export function openScanner(table: CallTable, names: Names, options: ScanOptions = {}): Scanner {
  const record = emptyRecord();
  const memory = openMemory();
  const reader = lineReader(memory, names, record);

  return { scan: (path, ...rest) => (path.endsWith(".gz") ? scanArchived(path, ...rest) : scanPlain(path, ...rest)) };

  async function scanPlain(...[path, file, isAgent, progress, beforeTail]: Parameters<Scanner["scan"]>): Promise<void> {
    const descriptor = openSync(path, "r");
    try {
      const { dev, ino } = fstatSync(descriptor);
      const sink = sinkFor({ path, dev, ino, file, isAgent, progress, descriptor, beforeTail });
      const pass = passThrough(memory, descriptor, progress.offset, maxLineBytes, sink);
      sink.passOffset = () => pass.offset;
      for (let chunks = 1; pass.next(); chunks++) {
        if (chunks % chunksPerBreath !== 0) continue;
        options.onBytes?.(pass.offset - progress.offset);
        move(progress, pass);
        // Others in this process get a turn, and an abort is heard.
        await new Promise(setImmediate);
        options.signal?.throwIfAborted();
      }
      options.onBytes?.(pass.offset - progress.offset);
      move(progress, pass);
      sink.finish();
    } finally {
      closeSync(descriptor);
    }
  }

  /** An archived file is read through its compression, from its beginning each time. */
  async function scanArchived(
    ...[path, file, isAgent, progress, beforeTail]: Parameters<Scanner["scan"]>
  ): Promise<void> {
    const lines = readLines(path, { tail: "give", signal: options.signal });
    const sink = sinkFor({ path, dev: 0, ino: 0, file, isAgent, progress, descriptor: undefined, beforeTail });
    sink.passOffset = () => lines.cursor.offset;
    for await (const batch of lines) {
      for (const line of batch) {
        if (line.bytes === undefined) sink.tooLong(line.offset, line.length);
        else {
          memory.roomFor(line.length + 1);
          line.bytes.copy(memory.bytes, memory.start);
          memory.bytes[memory.start + line.length] = 10;
          sink.line(memory.start, memory.start + line.length, line.offset, line.terminated);
        }
        progress.lines = line.line;
      }
    }
    progress.offset = lines.cursor.offset;
    sink.finish();
  }

  function move(progress: Progress, pass: { readonly offset: number }): void {
    progress.offset = pass.offset;
  }

  function sinkFor(of: Reading): FileSink {
    const { path, file, isAgent, progress, descriptor } = of;
    const { told } = progress;
    const from = progress.lines;
    let seen = 0;
    let looked = false;

    const sink: FileSink = {
      passOffset: () => progress.offset,
      line(start, end, offset, terminated) {
        const { bytes } = memory;
        if (terminated) progress.lines++;
        else lookBeforeTail();
        const to = bytes[end - 1] === 0x0d && end > start ? end - 1 : end;
        const first = offset === 0 && hasBom(bytes, start) ? start + 3 : start;
        if (isBlank(bytes, first, to)) return;
        seen++;
        // The first lines tell when and where the session began.
        const early = from === 0 && seen <= firstLines && (told.firstAt === undefined || told.cwd === undefined);
        if (early) slow(first, to, offset, terminated, reader.read(first, to, told) === saw.unknown);
        else readLine(first, to, offset, terminated);
      },
      passOver(start, end) {
        const kind = reader.read(start, end, told);
        // Too long to be looked at: what is no tool result is taken for a prompt.
        if (kind === saw.user && !isAgent && !isResult(memory.bytes, reader.stoppedAt)) told.turns++;
        return kind === saw.user || kind === saw.other;
      },
      passed(start, end, offset, length) {
        progress.lines++;
        if (isOver(memory.bytes, start, end) || descriptor === undefined) return;
        const bytes = Buffer.alloc(length);
        const count = readSync(descriptor, bytes, 0, length, offset);
        parse(bytes.subarray(0, count), offset, true);
      },
      tooLong(offset, length) {
        progress.lines++;
        note(offset, progress.lines, `too-long: ${length} bytes`);
      },
      finish: lookBeforeTail,
    };
    return sink;

    function lookBeforeTail(): void {
      if (looked) return;
      looked = true;
      progress.offset = sink.passOffset();
      of.beforeTail?.();
    }

    function readLine(start: number, end: number, offset: number, terminated: boolean): void {
      const kind = reader.read(start, end, told);
      if (kind === saw.record) {
        add(offset);
        if (record.rank === rank.main && !isAgent) tellAnswer(told);
      } else if (kind === saw.unknown || !isDone(memory.bytes, kind, reader.stoppedAt, end)) {
        slow(start, end, offset, terminated, kind === saw.unknown);
      }
    }

    /** True when the front of a line that is no answer says all that is wanted from it. */
    function isDone(bytes: Buffer, kind: Saw, from: number, end: number): boolean {
      if (!isOver(bytes, from, end)) return false;
      if (kind === saw.progress) return !findsUsage(bytes, from, end);
      if (kind === saw.other) return !isTelling(bytes, from);
      return isAgent || isResult(bytes, from) || isPlainPrompt(bytes, from, end);
    }

    /** A prompt whose text need not be looked at: turns are counted, and the first one is known already. */
    function isPlainPrompt(bytes: Buffer, at: number, end: number): boolean {
      if (told.firstPrompt === undefined || !isAt(promptFront, bytes, at)) return false;
      if (!isLetter(bytes[at + promptFront.length] as number) || special.some((finds) => finds(bytes, at, end)))
        return false;
      if (record.rank === rank.main) {
        told.pending = false;
        told.turns++;
      }
      return true;
    }

    function slow(start: number, end: number, offset: number, terminated: boolean, isNew: boolean): void {
      progress.fallback++;
      const kind = parse(memory.bytes.subarray(start, end), offset, terminated);
      if (isNew && kind !== undefined) reader.learn(start, end, kind);
    }

    /** What the line is, if it is one whole record and lines like it can be known by their looks. */
    function parse(bytes: Buffer, offset: number, terminated: boolean): LineKind | undefined {
      const length = bytes.length;
      const line: Line = { offset, length, end: offset + length + 1, line: progress.lines, bytes, terminated };
      const items = recordsOf({ path, dev: of.dev, ino: of.ino }, line, isRecord);
      let kind: LineKind | undefined;
      for (const item of items) {
        if (item.kind === "unreadable") note(item.offset, item.line, item.why);
        else kind = take(item);
      }
      return items.length === 1 ? kind : undefined;
    }

    function take(item: JsonRecord): LineKind | undefined {
      if (!isAgent || told.firstAt === undefined || told.cwd === undefined) tellRecord(told, item);
      const { type, isSidechain } = item.object;
      if (readObject(item.object, names, record)) {
        const plain = !record.apiError && record.odd === 0;
        add(item.offset);
        return plain ? "answer" : undefined;
      }
      record.rank = isSidechain === true ? rank.sidechain : rank.main;
      if (typeof type !== "string" || type === "assistant") return undefined;
      return type === "user" || type === "progress" ? type : "other";
    }

    function add(offset: number): void {
      if (record.key.b === 0) hashText(`${path}:${offset}`, record.key);
      if (Number.isNaN(record.at) && descriptor !== undefined) record.at = timeBefore(descriptor, offset);
      table.add(file, record, offset);
    }

    function note(offset: number, line: number, why: string): void {
      progress.unreadable++;
      if (progress.unreadablePlaces.length < placesKept) progress.unreadablePlaces.push({ line, offset, why });
    }
  }
}

interface Reading {
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
  readonly file: number;
  readonly isAgent: boolean;
  readonly progress: Progress;
  /** Absent for archives: nothing is read again there. */
  readonly descriptor: number | undefined;
  readonly beforeTail: (() => void) | undefined;
}

interface FileSink extends LineSink {
  passOffset: () => number;
  finish(): void;
}

const findsUsage = finder('"usage"');
const findsAnswer = finder('"type":"assistant"');
/** Words that make something else of a line than a prompt. */
const special = ['"isMeta":', '"isCompactSummary":', '"origin":'].map(finder);

/**
 * True when a line that cannot matter ends as it should. One that does not may be damaged, and one that ends like an
 * answer may hold an answer glued behind a stub.
 */
function isOver(bytes: Buffer, start: number, end: number): boolean {
  if (bytes[end - 1] !== 0x7d) return false;
  return !findsAnswer(bytes, Math.max(start, end - tailBytes), end);
}

const resultFronts: readonly Uint8Array[] = [
  Buffer.from(',"message":{"role":"user","content":[{"tool_use_id":'),
  Buffer.from(',"message":{"role":"user","content":[{"type":"tool_result"'),
];

/** A user line that carries a tool's result; behind the line's type, at the place where every client puts it. */
function isResult(bytes: Buffer, at: number): boolean {
  return resultFronts.some((front) => isAt(front, bytes, at));
}

const promptFront: Uint8Array = Buffer.from(',"message":{"role":"user","content":"');

/** Commands, notifications and the like begin with a bracket, maybe behind blanks. */
function isLetter(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a);
}

const tellingTypes: readonly Uint8Array[] = ['-title"', '"summary"', '"cost-state"'].map((text) => Buffer.from(text));

/** By the end of the type's text. */
function isTelling(bytes: Buffer, typeEnd: number): boolean {
  return tellingTypes.some((type) => isAt(type, bytes, typeEnd - type.length));
}

function isAt(text: Uint8Array, bytes: Uint8Array, at: number): boolean {
  for (let index = 0; index < text.length; index++) if (text[index] !== bytes[at + index]) return false;
  return true;
}

function hasBom(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf;
}

function isBlank(bytes: Buffer, from: number, to: number): boolean {
  for (let p = from; p < to; p++) {
    const byte = bytes[p];
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  }
  return true;
}
