import { readSync } from "node:fs";
import { fieldOf, parseJson, parseObject } from "../../protocol/internal.ts";
import { hasBom, isTranscriptRecord, recordSource, recordsOf } from "../../sessions/internal.ts";
import type { CallTable } from "../calls/call-table.ts";
import {
  hashText,
  type NameTable,
  ranks,
  readUsageRecord,
  timestampMs,
  type UsageRecord,
} from "../calls/usage-record.ts";
import { addRecordFacts, closePendingCommand, countFileTurn, type ScanProgress } from "./file-facts.ts";
import {
  eventAnswer,
  eventName,
  eventPrompt,
  knownParents,
  markSidechain,
  wordAgent,
  wordFile,
  wordIsMain,
  wordLines,
  wordMarks,
  wordParseAll,
} from "./kernel/layout.ts";
import { addAnswerFacts, provideName, setMissingFacts } from "./scan-kernel.ts";

/** Takes the lines of a file that the kernel does not handle alone. */
export interface LineSink {
  /** `event` is why the kernel stopped at it. `start` and `end` are in memory, `offset` is in the file. */
  line(event: number, start: number, end: number, offset: number, terminated: boolean): void;
  /** A line longer than can be held. */
  tooLong(offset: number, length: number): void;
}

export interface ScannedFile {
  readonly path: string;
  /** Its number in the table of calls. */
  readonly number: number;
  /** The agent whose transcript it is. */
  readonly agent?: string | undefined;
}

/** The file whose lines are read. An archive has no descriptor: nothing is read again there. */
interface OpenTranscript extends ScannedFile {
  readonly descriptor: number | undefined;
  readonly progress: ScanProgress;
}

const firstLines = 50;
const placesKept = 5;

/** Puts the calls of a file's lines into the table, and what else the lines say into its progress. */
export function lineSink(table: CallTable, names: NameTable, file: OpenTranscript): LineSink {
  const { memory } = table;
  const { path, number, agent, descriptor, progress } = file;
  const { facts } = progress;
  const isMain = agent === undefined;
  const ownAgent = isMain ? 0 : names.numberOf(agent);
  const lost = names.numberOf("sidechain");
  let early = progress.lines === 0 ? firstLines : 0;
  memory.words[wordLines] = progress.lines;
  memory.words[wordIsMain] = isMain ? 1 : 0;
  memory.words[wordParseAll] = early > 0 ? 1 : 0;
  memory.words[wordFile] = number;
  memory.words[wordAgent] = isMain ? lost : ownAgent;
  memory.figures[knownParents / 8] = 0;
  setMissingFacts(memory, facts);

  return {
    line(event, start, end, offset, terminated) {
      if (event === eventName) provideName(memory, names);
      else {
        read(event, start, end, offset, terminated);
        setMissingFacts(memory, facts);
      }
    },
    tooLong(offset, length) {
      note(offset, lineNumber(), `too-long: ${length} bytes`);
    },
  };

  function read(event: number, start: number, end: number, offset: number, terminated: boolean): void {
    if (event === eventAnswer) {
      if (isMain && !isSidechain()) closePendingCommand(facts);
      addAnswerFacts(memory, facts);
      return;
    }
    // The text of the first prompt is the session's title, if it has no other.
    if (event === eventPrompt && facts.firstPrompt !== undefined) {
      if (!isSidechain()) countFileTurn(facts);
      return;
    }
    const first = offset === 0 && hasBom(memory.bytes, start) ? start + 3 : start;
    if (first < end) parse(memory.bytes.subarray(first, end), offset + first - start, terminated);
    if (early > 0) parseLess();
  }

  function isSidechain(): boolean {
    return ((memory.words[wordMarks] as number) & markSidechain) !== 0;
  }

  function lineNumber(): number {
    return memory.words[wordLines] as number;
  }

  /** The first lines tell when and where the session began: until then every line is parsed. */
  function parseLess(): void {
    early--;
    if (facts.firstAt === undefined || (facts.cwd === undefined && early > 0)) return;
    early = 0;
    memory.words[wordParseAll] = 0;
  }

  function parse(bytes: Buffer, offset: number, terminated: boolean): void {
    progress.fallback++;
    const object = parseObject(bytes.toString("utf8"));
    if (object !== undefined) {
      take(object, offset);
      return;
    }
    // A copy of the bytes, because the memory can grow while records are added.
    for (const item of recordsIn(Buffer.from(bytes), path, offset, lineNumber(), terminated)) {
      if (item.kind === "unreadable") note(item.offset, item.line, item.why);
      else take(item.object, item.offset);
    }
  }

  function take(object: Readonly<Record<string, unknown>>, offset: number): void {
    if (isMain || facts.firstAt === undefined || facts.cwd === undefined) addRecordFacts(facts, object, isMain);
    const record = readUsageRecord(object, names);
    if (record === undefined) return;
    // Without an id the position of the line is its key.
    const key = record.key.b === 0 ? hashText(`${path}:${offset}`) : record.key;
    const isUndated = Number.isNaN(record.at) && descriptor !== undefined;
    const at = isUndated ? timeBefore(descriptor, offset) : record.at;
    table.add(number, { ...record, key, at, agent: ownerOf(record) }, offset);
  }

  /** Whose call it is: an agent's by its file, or by the agent that a line of an older main transcript names. */
  function ownerOf({ rank: own, agent: named }: UsageRecord): number {
    if (!isMain) return named || ownAgent;
    return own === ranks.main ? 0 : named || lost;
  }

  function note(offset: number, line: number, why: string): void {
    progress.unreadable++;
    if (progress.unreadablePlaces.length < placesKept) progress.unreadablePlaces.push({ line, offset, why });
  }
}

/** What can be read of a damaged line. */
function recordsIn(bytes: Buffer, path = "", offset = 0, line = 0, terminated = true) {
  return recordsOf(recordSource(path), { bytes, offset, length: bytes.length, line, terminated }, isTranscriptRecord);
}

const window = 64 * 1024;

/** The time of the nearest line before `offset` that has one; NaN when none does. Rare, so it simply reads backwards. */
function timeBefore(descriptor: number, offset: number): number {
  let rest: Buffer = Buffer.alloc(0);
  for (let to = offset; to > 0; ) {
    const from = Math.max(0, to - window);
    const bytes = Buffer.alloc(to - from);
    const count = readSync(descriptor, bytes, 0, bytes.length, from);
    const whole: Buffer = Buffer.concat([bytes.subarray(0, count), rest]);
    const start = from === 0 ? 0 : whole.indexOf(10) + 1;
    // A window without a newline is the inside of a long line: look further back.
    if (start === 0 && from > 0) rest = whole;
    else {
      const at = lastTime(whole.subarray(start));
      if (!Number.isNaN(at)) return at;
      rest = Buffer.from(whole.subarray(0, start));
    }
    to = from;
  }
  return Number.NaN;
}

function lastTime(bytes: Buffer): number {
  for (const line of bytes.toString("utf8").split("\n").reverse()) {
    const at = timeIn(line);
    if (!Number.isNaN(at)) return at;
  }
  return Number.NaN;
}

function timeIn(line: string): number {
  // A key may be written with escapes.
  if (!line.includes('"timestamp"') && !line.includes("\\u")) return Number.NaN;
  const value = parseJson(line);
  // Damaged: what can be saved of it may still tell.
  return value === undefined ? timeInDamaged(Buffer.from(line)) : timestampMs(fieldOf(value, "timestamp"));
}

function timeInDamaged(bytes: Buffer): number {
  const times = recordsIn(bytes).map((item) =>
    item.kind === "record" ? timestampMs(item.object["timestamp"]) : Number.NaN,
  );
  return times.findLast((at) => !Number.isNaN(at)) ?? Number.NaN;
}
