import { readSync } from "node:fs";
import { isRecord, type Line, recordsOf } from "../../sessions/index.ts";
import { hashText } from "../calls/hash.ts";
import type { Names } from "../calls/names.ts";
import type { CallTable } from "../calls/table.ts";
import { readObject } from "../read-object.ts";
import { clearRecord, rank, type UsageRecord } from "../record.ts";
import { endsWell, holdsUsage, isPlainPrompt, isResult, isTelling } from "./line-ends.ts";
import { type LineReader, type Saw, saw } from "./line-reader.ts";
import type { LineSink } from "./lines-of-file.ts";
import type { ScanMemory } from "./memory.ts";
import type { Progress } from "./progress.ts";
import type { LineKind } from "./shape.ts";
import { timeBefore } from "./time-before.ts";
import { tellAnswer, tellPrompt, tellRecord } from "./told.ts";

/** What lines are put into, and what reads them. */
export interface Desk {
  readonly memory: ScanMemory;
  readonly reader: LineReader;
  readonly record: UsageRecord;
  readonly names: Names;
  readonly table: CallTable;
}

/** The file whose lines these are. */
export interface SinkFile {
  readonly path: string;
  readonly number: number;
  /** The agent whose transcript it is. */
  readonly agent: string | undefined;
  /** Absent for archives: nothing is read again there. */
  readonly descriptor: number | undefined;
  readonly progress: Progress;
}

const firstLines = 50;
const placesKept = 5;

/** Puts the calls of a file's lines into the table, and what else they tell into its progress. */
export function fileSink({ memory, reader, record, names, table }: Desk, file: SinkFile): LineSink {
  const { path, number, agent, descriptor, progress } = file;
  const { told } = progress;
  const isMain = agent === undefined;
  const ownAgent = isMain ? 0 : names.numberOf(agent);
  const lost = names.numberOf("sidechain");
  const isNewFile = progress.lines === 0;
  let seen = 0;

  return {
    line(start, end, offset, terminated) {
      const { bytes } = memory;
      if (terminated) progress.lines++;
      const to = end > start && bytes[end - 1] === 0x0d ? end - 1 : end;
      const first = offset === 0 && hasBom(bytes, start) ? start + 3 : start;
      if (isBlank(bytes, first, to)) return;
      seen++;
      const kind = reader.read(first, to, told);
      // The first lines tell when and where the session began.
      const isEarly = isNewFile && seen <= firstLines && (told.firstAt === undefined || told.cwd === undefined);
      if (!isEarly && kind === saw.record) {
        if (isMain && record.rank === rank.main) tellAnswer(told);
        add(offset);
      } else if (isEarly || kind === saw.unknown || !isDone(bytes, kind, reader.stoppedAt, to)) {
        slow(first, to, offset + first - start, terminated, kind === saw.unknown);
      }
    },
    passOver(start, end) {
      const kind = reader.read(start, end, told);
      // Too long to be looked at: what is no tool result is taken for a prompt.
      if (kind === saw.user && isMain && !isResult(memory.bytes, reader.stoppedAt)) tellPrompt(told);
      return kind === saw.user || kind === saw.other;
    },
    passed(start, end, offset, length) {
      progress.lines++;
      if (endsWell(memory.bytes, start, end) || descriptor === undefined) return;
      const bytes = Buffer.alloc(length);
      const count = readSync(descriptor, bytes, 0, length, offset);
      parse(bytes.subarray(0, count), offset, true);
    },
    tooLong(offset, length) {
      progress.lines++;
      note(offset, progress.lines, `too-long: ${length} bytes`);
    },
  };

  /** True when the front of a line that is no answer says all that is wanted from it. */
  function isDone(bytes: Buffer, kind: Saw, from: number, end: number): boolean {
    if (!endsWell(bytes, from, end)) return false;
    if (kind === saw.progress) return !holdsUsage(bytes, from, end);
    if (kind === saw.other) return !isTelling(bytes, from);
    if (!isMain || isResult(bytes, from)) return true;
    // The text of the first prompt is the session's title, if it has no other.
    if (told.firstPrompt === undefined || !isPlainPrompt(bytes, from, end)) return false;
    if (record.rank === rank.main) tellPrompt(told);
    return true;
  }

  function slow(start: number, end: number, offset: number, terminated: boolean, isNew: boolean): void {
    progress.fallback++;
    const kind = parse(memory.bytes.subarray(start, end), offset, terminated);
    if (isNew && kind !== undefined) reader.learn(start, end, kind);
  }

  /** What the line is, if it is one whole record and lines like it can be known by their looks. */
  function parse(bytes: Buffer, offset: number, terminated: boolean): LineKind | undefined {
    const { length } = bytes;
    const line: Line = { offset, length, end: offset + length + 1, line: progress.lines, bytes, terminated };
    const object = objectFrom(bytes);
    if (object !== undefined) return take(object, line);
    for (const item of recordsOf({ path, dev: 0, ino: 0 }, line, isRecord)) {
      if (item.kind === "unreadable") note(item.offset, item.line, item.why);
      else take(item.object, { ...line, offset: item.offset });
    }
    return undefined;
  }

  function take(object: Readonly<Record<string, unknown>>, line: Line): LineKind | undefined {
    if (isMain || told.firstAt === undefined || told.cwd === undefined) tellRecord(told, object, isMain);
    const { type, isSidechain } = object;
    if (readObject(object, names, record)) {
      const isPlain = !record.apiError && record.odd === 0;
      add(line.offset);
      return isPlain ? "answer" : undefined;
    }
    clearRecord(record);
    record.rank = isSidechain === true ? rank.sidechain : rank.main;
    if (typeof type !== "string" || type === "assistant") return undefined;
    return type === "user" || type === "progress" ? type : "other";
  }

  function add(offset: number): void {
    if (record.key.b === 0) hashText(`${path}:${offset}`, record.key);
    if (Number.isNaN(record.at) && descriptor !== undefined) record.at = timeBefore(descriptor, offset);
    // Whose call it is: an agent's by its file, or by what a line of an older main file says.
    const said = record.agent;
    record.agent = !isMain ? said || ownAgent : record.rank === rank.main ? 0 : said || lost;
    table.add(number, record, offset);
  }

  function note(offset: number, line: number, why: string): void {
    progress.unreadable++;
    if (progress.unreadablePlaces.length < placesKept) progress.unreadablePlaces.push({ line, offset, why });
  }
}

/** The object on a line that is nothing else; undefined when it takes more than a JSON parser to read it. */
function objectFrom(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    return value as Readonly<Record<string, unknown>>;
  } catch {
    // Damaged: what can be saved of it is found by those who know how.
    return undefined;
  }
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
