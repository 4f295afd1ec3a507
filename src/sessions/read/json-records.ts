import { isAscii, isUtf8 } from "node:buffer";
import { isObject, parseJson } from "../../protocol/internal.ts";
import { type FileIdentity, readLineBytes } from "./byte-source.ts";
import type { Line, LineReader } from "./read-lines.ts";
import { recoverObjects } from "./recover-records.ts";

export interface RecordPosition {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
  /** Counted from 1; 0 when earlier lines were not read, as in a window at the end. */
  readonly line: number;
}

/** A JSON object and the position of its bytes. */
export interface JsonRecord extends RecordPosition {
  readonly kind: "record";
  readonly object: Readonly<Record<string, unknown>>;
  /** Something was lost: bytes that are not UTF-8 became replacement characters, or values nested too deep were cut. */
  readonly lossy?: boolean;
  /** The object was recovered from a damaged line. */
  readonly recovered?: boolean;
  /** The object is complete, but its line does not end with a newline yet. */
  readonly unterminated?: boolean;
  readonly raw: RawBytes;
}

/** Reads the exact bytes of the record it is called on. All records of a file share one function. */
export type RawBytes = (this: { readonly offset: number; readonly length: number }) => Uint8Array;

/** Bytes without a record, at their position among the records. */
export interface Unreadable extends RecordPosition {
  readonly kind: "unreadable";
  readonly why: "not-json" | "not-object" | "too-long" | "nul-run" | "splice" | "cut-archive";
  readonly bytes: RawBytes;
}

/** A file, and how its records read their bytes again: a million records do not need a function each. */
export interface RecordSource {
  readonly path: string;
  readonly raw: RawBytes;
}

/** `identity` is that of the file when it was read. Without it, the bytes cannot be read again. */
export function recordSource(path: string, { dev, ino }: FileIdentity = { dev: 0, ino: 0 }): RecordSource {
  return {
    path,
    raw() {
      return readLineBytes(path, { dev, ino }, this.offset, this.length);
    },
  };
}

/** The records of a line: one if it is intact, otherwise the records that could be recovered and the damaged bytes between them. */
export function recordsOf(
  file: RecordSource,
  line: Line,
  isRecord: (object: Record<string, unknown>) => boolean,
): (JsonRecord | Unreadable)[] {
  if (line.bytes === undefined) return [unreadable(file, line.line, "too-long", line)];
  const ascii = line.ascii === true || isAscii(line.bytes);
  const text = ascii ? line.bytes.toString("latin1") : line.bytes.toString("utf8");
  const value = parseJson(text);
  if (isObject(value)) return [record(file, line, value, line, text.includes("\ufffd") && !isUtf8(line.bytes), false)];
  if (!line.terminated) return [];
  if (value !== undefined) return [unreadable(file, line.line, "not-object", line)];
  return recoverObjects(line.bytes, isRecord).map((part) => {
    const at = { offset: line.offset + part.from, length: part.to - part.from };
    if (part.object === undefined) return unreadable(file, line.line, part.why, at);
    const bytes = (line.bytes as Buffer).subarray(part.from, part.to);
    return record(file, line, part.object, at, !isUtf8(bytes), true);
  });
}

function record(
  file: RecordSource,
  { line, terminated }: Line,
  object: Record<string, unknown>,
  { offset, length }: Stretch,
  lossy: boolean,
  recovered: boolean,
): JsonRecord {
  // Each level takes two bytes, so a short line cannot be nested too deep.
  const isCut = length > 2 * maxNesting && cutDeep(object);
  return {
    kind: "record",
    file: file.path,
    offset,
    length,
    line,
    object,
    lossy: lossy || isCut,
    recovered,
    unterminated: !terminated,
    raw: file.raw,
  };
}

function unreadable(file: RecordSource, line: number, why: Unreadable["why"], at: Stretch): Unreadable {
  const { offset, length } = at;
  return { kind: "unreadable", file: file.path, offset, length, line, why, bytes: file.raw };
}

type Stretch = Pick<RecordPosition, "offset" | "length">;

/** The bytes after the last complete line of an archive that was cut off. */
export function cutArchiveItem(file: RecordSource, { cursor, tail }: Pick<LineReader, "cursor" | "tail">): Unreadable {
  return unreadable(file, cursor.lines + 1, "cut-archive", tail ?? { offset: cursor.offset, length: 0 });
}

/** Deeper values are cut, because recursive code such as printing would overflow the stack. */
const maxNesting = 1000;

const nestingPlaceholder = `[nested deeper than ${maxNesting} levels]`;

/** Replaces values nested deeper than `levels` by a placeholder, in place. True when it replaced any. */
export function cutDeep(value: object, levels: number = maxNesting): boolean {
  let isCut = false;
  for (const key of Object.keys(value)) {
    const inner: unknown = (value as Record<string, unknown>)[key];
    if (typeof inner !== "object" || inner === null) continue;
    if (levels > 1) isCut = cutDeep(inner, levels - 1) || isCut;
    else {
      // An assignment to the key "__proto__" would change the prototype.
      Object.defineProperty(value, key, { value: nestingPlaceholder });
      isCut = true;
    }
  }
  return isCut;
}
