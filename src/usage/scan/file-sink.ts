import { readSync } from "node:fs";
import { isRecord, type Line, recordsOf } from "../../sessions/index.ts";
import { hashText } from "../calls/hash.ts";
import type { Names } from "../calls/names.ts";
import type { CallTable } from "../calls/table.ts";
import { readObject } from "../read-object.ts";
import { clearRecord, rank, type UsageRecord } from "../record.ts";
import type { AnswerReader } from "./answer.ts";
import type { ShapeLearner } from "./learn.ts";
import type { LineSink } from "./lines-of-file.ts";
import type { ScanMemory } from "./memory.ts";
import type { Progress } from "./progress.ts";
import { isPlainPrompt } from "./prompt-line.ts";
import type { LineKind } from "./shape.ts";
import { timeBefore } from "./time-before.ts";
import { tellAnswer, tellPrompt, tellRecord } from "./told.ts";
import { at, event } from "./wasm/layout.ts";

/** What lines are put into, and what reads them. */
export interface Desk {
  readonly memory: ScanMemory;
  readonly answers: AnswerReader;
  readonly shapes: ShapeLearner;
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
  beforeTail(offset: number): void;
}

const firstLines = 50;
const placesKept = 5;

/** Puts the calls of a file's lines into the table, and what else they tell into its progress. */
export function fileSink({ memory, answers, shapes, record, names, table }: Desk, file: SinkFile): LineSink {
  const { path, number, agent, descriptor, progress } = file;
  const { told } = progress;
  const isMain = agent === undefined;
  const ownAgent = isMain ? 0 : names.numberOf(agent);
  const lost = names.numberOf("sidechain");
  let early = progress.lines === 0 ? firstLines : 0;
  set(at.lines, progress.lines);
  set(at.isMain, isMain ? 1 : 0);
  set(at.lastShape, 0);
  set(at.previous, 0);
  set(at.showAll, early > 0 ? 1 : 0);

  return {
    answer(start, end, offset, terminated) {
      if (!answers.read(told)) {
        slow(start, end, offset, terminated, false);
        return;
      }
      if (isMain && record.rank === rank.main) tellAnswer(told);
      add(offset, true);
    },
    line(what, start, end, offset, terminated) {
      if (what === event.user && isPrompt(start, end)) return;
      if (what === event.progress && !memory.bytes.subarray(start, end).includes('"usage"')) return;
      const first = offset === 0 && hasBom(memory.bytes, start) ? start + 3 : start;
      if (!isBlank(memory.bytes, first, end))
        slow(first, end, offset + first - start, terminated, what === event.unknown);
      if (early > 0) lookLess();
    },
    longPrompt() {
      // Too long to be looked at: what is no tool result is taken for a prompt.
      if (isMain) tellPrompt(told);
    },
    spoiled(offset, length) {
      if (descriptor === undefined) return;
      const bytes = Buffer.alloc(length);
      const count = readSync(descriptor, bytes, 0, length, offset);
      forgetAnswer();
      parse(bytes.subarray(0, count), offset, true);
    },
    tooLong(offset, length) {
      note(offset, lineNumber(), `too-long: ${length} bytes`);
    },
    beforeTail: file.beforeTail,
  };

  function set(place: number, value: number): void {
    memory.found.words[place / 4] = value;
  }

  function lineNumber(): number {
    return memory.found.words[at.lines / 4] as number;
  }

  /** The first lines tell when and where the session began: until then every line is parsed. */
  function lookLess(): void {
    early--;
    if (told.firstAt === undefined || (told.cwd === undefined && early > 0)) return;
    early = 0;
    set(at.showAll, 0);
  }

  /** A prompt whose text need not be looked at. The text of the first one is the session's title, if it has no other. */
  function isPrompt(start: number, end: number): boolean {
    const typeEnd = memory.found.words[at.stoppedAt / 4] as number;
    if (told.firstPrompt === undefined || !isPlainPrompt(memory.bytes, typeEnd, end)) return false;
    // Shapes of user lines know whether they are of a sidechain; main transcripts of older clients hold both.
    if (!memory.bytes.subarray(start, typeEnd).includes('"isSidechain":true')) tellPrompt(told);
    return true;
  }

  function slow(start: number, end: number, offset: number, terminated: boolean, isNew: boolean): void {
    progress.fallback++;
    forgetAnswer();
    const kind = parse(memory.bytes.subarray(start, end), offset, terminated);
    if (isNew && kind !== undefined) shapes.see(start, end, kind, record);
  }

  /** The record is put to another use: the next answer must not be taken for a repeat of what was in it. */
  function forgetAnswer(): void {
    set(at.lastShape, 0);
  }

  /** What the line is, if it is one whole record and lines like it can be known by their looks. */
  function parse(bytes: Buffer, offset: number, terminated: boolean): LineKind | undefined {
    const { length } = bytes;
    const line: Line = { offset, length, end: offset + length + 1, line: lineNumber(), bytes, terminated };
    const object = objectFrom(bytes);
    if (object !== undefined) return take(object, offset);
    for (const item of recordsOf({ path, dev: 0, ino: 0 }, line, isRecord)) {
      if (item.kind === "unreadable") note(item.offset, item.line, item.why);
      else take(item.object, item.offset);
    }
    return undefined;
  }

  function take(object: Readonly<Record<string, unknown>>, offset: number): LineKind | undefined {
    if (isMain || told.firstAt === undefined || told.cwd === undefined) tellRecord(told, object, isMain);
    const { type, isSidechain } = object;
    if (readObject(object, names, record)) {
      const isPlain = !record.apiError && record.odd === 0;
      add(offset, false);
      return isPlain ? "answer" : undefined;
    }
    clearRecord(record);
    record.rank = isSidechain === true ? rank.sidechain : rank.main;
    return kindOf(type);
  }

  /** `isFast`: the reader knows when the line was written, the record does not yet. */
  function add(offset: number, isFast: boolean): void {
    if (record.key.b === 0) hashText(`${path}:${offset}`, record.key);
    // Whose call it is: an agent's by its file, or by what a line of an older main file says.
    const said = record.agent;
    record.agent = !isMain ? said || ownAgent : record.rank === rank.main ? 0 : said || lost;
    const row = table.find(number, record);
    if (row >= 0) {
      table.improve(row, record);
      return;
    }
    if (isFast) record.at = answers.time();
    if (Number.isNaN(record.at) && descriptor !== undefined) record.at = timeBefore(descriptor, offset);
    table.insert(number, record, offset);
  }

  function note(offset: number, line: number, why: string): void {
    progress.unreadable++;
    if (progress.unreadablePlaces.length < placesKept) progress.unreadablePlaces.push({ line, offset, why });
  }
}

/** Undefined for answers without usage, and for what has no type. */
function kindOf(type: unknown): LineKind | undefined {
  if (typeof type !== "string" || type === "assistant") return undefined;
  if (type === "user" || type === "progress") return type;
  return telling.has(type) ? "telling" : "other";
}

/** Lines that say something about the session. */
const telling: ReadonlySet<string> = new Set(["custom-title", "ai-title", "summary", "cost-state"]);

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

function hasBom(bytes: Buffer, place: number): boolean {
  return bytes[place] === 0xef && bytes[place + 1] === 0xbb && bytes[place + 2] === 0xbf;
}

function isBlank(bytes: Buffer, from: number, to: number): boolean {
  for (let p = from; p < to; p++) {
    const byte = bytes[p];
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  }
  return true;
}
