import { isAscii, isUtf8 } from "node:buffer";
import { isObject, parseJson } from "../../protocol/internal.ts";
import { type FileIdentity, readLineBytes } from "./byte-source.ts";
import type { Line, LineReader } from "./read-lines.ts";
import { recoverObjects } from "./recover-records.ts";

/** A JSON object and where its bytes lie. */
export interface JsonRecord {
  readonly kind: "record";
  readonly file: string;
  readonly offset: number;
  readonly length: number;
  readonly line: number;
  readonly object: Readonly<Record<string, unknown>>;
  /** Not all of it could be taken over: bytes that are not UTF-8 became replacement characters, or values nested too deep were cut. */
  readonly lossy: boolean;
  /** The object was found inside a damaged line. */
  readonly recovered: boolean;
  /** The object is whole, but no newline ends its line yet. */
  readonly unterminated: boolean;
  readonly raw: RawBytes;
}

/** The exact bytes of what it is called on. One function serves all records of a file. */
export type RawBytes = (this: { readonly offset: number; readonly length: number }) => Uint8Array;

/** Bytes that hold no record, kept at their place in the stream. */
export interface Unreadable {
  readonly kind: "unreadable";
  readonly file: string;
  readonly offset: number;
  readonly length: number;
  readonly line: number;
  readonly why: "not-json" | "not-object" | "too-long" | "nul-run" | "splice" | "cut-archive";
  readonly bytes: RawBytes;
}

/** A path and the file it named when it was read. */
export interface RecordSource extends FileIdentity {
  readonly path: string;
  /** Made once by `sourceFile`, so that a million records do not need a function each. */
  readonly raw?: RawBytes;
}

export function recordSource(path: string, { dev, ino }: FileIdentity): RecordSource {
  return { path, dev, ino, raw: rawOf(path, { dev, ino }) };
}

function rawOf(path: string, identity: FileIdentity): RawBytes {
  return function raw() {
    return readLineBytes(path, identity, this.offset, this.length);
  };
}

/** A line as the records it holds: one, when nothing went wrong. Damage is given beside what could be read. */
export function recordsOf(
  file: RecordSource,
  line: Line,
  isRecord: (object: Record<string, unknown>) => boolean,
): (JsonRecord | Unreadable)[] {
  if (line.bytes === undefined) return [unreadable(file, line, "too-long", line.offset, line.length)];
  const ascii = line.ascii === true || isAscii(line.bytes);
  const text = ascii ? line.bytes.toString("latin1") : line.bytes.toString("utf8");
  const value = parseJson(text);
  if (isObject(value)) return [record(file, line, value, line.offset, line.length, lossy(text, line.bytes), false)];
  if (!line.terminated) return [];
  if (value !== undefined) return [unreadable(file, line, "not-object", line.offset, line.length)];
  return recoverObjects(line.bytes, isRecord).map((part) => {
    const offset = line.offset + part.from;
    const length = part.to - part.from;
    if (part.object === undefined) return unreadable(file, line, part.why, offset, length);
    const bytes = (line.bytes as Buffer).subarray(part.from, part.to);
    return record(file, line, part.object, offset, length, !isUtf8(bytes), true);
  });
}

function lossy(text: string, bytes: Buffer): boolean {
  return text.includes("\ufffd") && !isUtf8(bytes);
}

function record(
  file: RecordSource,
  { line, terminated }: Line,
  object: Record<string, unknown>,
  offset: number,
  length: number,
  lossy: boolean,
  recovered: boolean,
): JsonRecord {
  const raw = file.raw ?? rawOf(file.path, file);
  const unterminated = !terminated;
  // Each level takes two bytes, so a short line needs no look.
  const cut = length > 2 * maxNesting && cutDeep(object);
  return {
    kind: "record",
    file: file.path,
    offset,
    length,
    line,
    object,
    lossy: lossy || cut,
    recovered,
    unterminated,
    raw,
  };
}

function unreadable(
  file: RecordSource,
  { line }: Pick<Line, "line">,
  why: Unreadable["why"],
  offset: number,
  length: number,
): Unreadable {
  const bytes = file.raw ?? rawOf(file.path, file);
  return { kind: "unreadable", file: file.path, offset, length, line, why, bytes };
}

/** What is behind the last whole line of an archive that was cut off. */
export function cutArchiveItem(file: RecordSource, { cursor, tail }: Pick<LineReader, "cursor" | "tail">): Unreadable {
  const place = { line: cursor.lines + 1 };
  return unreadable(file, place, "cut-archive", tail?.offset ?? cursor.offset, tail?.length ?? 0);
}

/** Values nested deeper than this are cut: what walks through an entry, printing included, has a stack that ends. */
const maxNesting = 1000;

const nestingPlaceholder = `[nested deeper than ${maxNesting} levels]`;

/** Replaces, in place, values nested deeper than `left` levels by a placeholder; true when there was one. */
export function cutDeep(value: object, left: number = maxNesting): boolean {
  let cut = false;
  for (const key of Object.keys(value)) {
    const inner: unknown = (value as Record<string, unknown>)[key];
    if (typeof inner !== "object" || inner === null) continue;
    if (left > 1) cut = cutDeep(inner, left - 1) || cut;
    else {
      Object.defineProperty(value, key, {
        value: nestingPlaceholder,
        enumerable: true,
        configurable: true,
        writable: true,
      });
      cut = true;
    }
  }
  return cut;
}
