import { type Hash, hashBytes } from "../calls/hash.ts";
import { type Names, nameCache } from "../calls/names.ts";
import { noParts, rank, type UsageRecord } from "../record.ts";
import { learnShape } from "./learn.ts";
import type { ScanMemory } from "./memory.ts";
import { type LineKind, type Shape, slot } from "./shape.ts";
import { timeReader } from "./time-bytes.ts";

/** What a file's lines say about the file itself; the first word on each counts. */
export interface FileFacts {
  cwd: string | undefined;
  sessionId: string | undefined;
  agentType: string | undefined;
  /** Sessions that this one names as its source. */
  readonly ancestors: string[];
}

/** What one look at a line gave. `unknown`: it has none of the shapes that were learned, so it must be parsed. */
export const saw = { unknown: 0, record: 1, user: 2, progress: 3, other: 4 } as const;
export type Saw = (typeof saw)[keyof typeof saw];

export interface LineReader {
  readonly record: UsageRecord;
  /** Where the shape of the last line ended: behind its type, unless it was an answer. */
  readonly stoppedAt: number;
  /** Reads the line in memory from `start` to the control character at `end`; an answer fills the record. */
  read(start: number, end: number, facts: FileFacts): Saw;
  /** Takes in what a line looks like that had to be parsed; the record holds what an answer said. */
  learn(start: number, end: number, kind: LineKind): void;
}

const mostShapes = 128;

export function lineReader(memory: ScanMemory, names: Names, record: UsageRecord): LineReader {
  const models = nameCache(names);
  const agents = nameCache(names);
  const sessions = nameCache(names);
  const timeOf = timeReader();
  const synthetic = names.numberOf("<synthetic>");
  const { from, to, count } = memory;
  const shapes: Shape[] = [];
  /** Tried last: the front of a progress line does not tell whether it holds the copy of an answer. */
  const progress: Shape[] = [];
  let previous: Shape | undefined;
  let stoppedAt = 0;

  return {
    record,
    get stoppedAt() {
      return stoppedAt;
    },
    read(start, end, facts) {
      memory.beginLine();
      const shape = find(start) ?? findIn(progress, start);
      if (shape === undefined) return saw.unknown;
      record.rank = shape.rank;
      if (shape.kind !== "answer") return saw[shape.kind];
      return stoppedAt === end && fill(shape, memory.bytes, facts) ? saw.record : saw.unknown;
    },
    learn(start, end, kind) {
      const list = kind === "progress" ? progress : shapes;
      // Lines of a hundred looks are none that we know: better to begin anew than to compare with all of them.
      if (list.length === mostShapes || memory.isCrowded) forget();
      const shape = learnShape(memory, start, end, kind, record);
      if (shape === undefined) return;
      // Not to the very front: a shape moves there by fitting.
      list.splice(list.length >> 1, 0, shape);
      if (previous !== undefined) previous.next = shape;
      previous = shape;
    },
  };

  function forget(): void {
    shapes.length = progress.length = 0;
    previous = undefined;
    memory.clear();
  }

  /** Lines follow each other in habits: the shape that followed this one the last time is tried first. */
  function find(start: number): Shape | undefined {
    const guess = previous?.next;
    if (guess !== undefined && fits(guess, start)) {
      previous = guess;
      return guess;
    }
    const shape = findIn(shapes, start);
    if (shape === undefined) return undefined;
    if (previous !== undefined) previous.next = shape;
    previous = shape;
    return shape;
  }

  function findIn(list: Shape[], start: number): Shape | undefined {
    for (let index = 0; index < list.length; index++) {
      const shape = list[index] as Shape;
      if (!fits(shape, start)) continue;
      if (index > 0) {
        list[index] = list[index - 1] as Shape;
        list[index - 1] = shape;
      }
      return shape;
    }
    return undefined;
  }

  function fits(shape: Shape, start: number): boolean {
    stoppedAt = memory.fit(shape.at, start);
    return stoppedAt >= 0;
  }

  /** False when the line says something that is better left to the slow reader. */
  function fill(shape: Shape, bytes: Buffer, facts: FileFacts): boolean {
    const { has } = shape;
    hash(bytes, has, slot.id, record.key);
    hash(bytes, has, slot.request, record.request);
    if (record.key.b === 0) {
      if (record.request.b !== 0) Object.assign(record.key, record.request);
      else hash(bytes, has, slot.uuid, record.key);
      if (record.key.b === 0) return false;
    }
    record.model = has & bit.model ? models(bytes, from(slot.model), to(slot.model)) : 0;
    // What the client made up is rare, and its text is wanted too.
    if (record.model === synthetic) return false;
    record.agent = has & bit.agent ? agents(bytes, from(slot.agent), to(slot.agent)) : 0;
    record.at = has & bit.time ? timeOf(bytes, from(slot.time), to(slot.time)) : Number.NaN;
    if (shape.rank === rank.copy && Number.isNaN(record.at)) return false;
    record.stopped = (has & bit.stop) !== 0 && memory.stopped();
    record.fast = is(bytes, has, slot.speed, fast);
    record.batch = is(bytes, has, slot.tier, batch);
    record.us = is(bytes, has, slot.geo, us);
    record.input = count(slot.input);
    record.output = count(slot.output);
    record.cacheRead = has & bit.cacheRead ? count(slot.cacheRead) : 0;
    record.thinking = has & bit.thinking ? count(slot.thinking) : 0;
    record.webSearches = has & bit.searches ? count(slot.searches) : 0;
    const written = has & bit.written ? count(slot.written) : 0;
    const write5m = has & bit.write5m ? count(slot.write5m) : 0;
    record.cacheWrite1h = has & bit.write1h ? count(slot.write1h) : 0;
    record.assumed5m = Math.max(0, written - write5m - record.cacheWrite1h);
    record.cacheWrite5m = write5m + record.assumed5m;
    record.prompt = record.input + record.cacheRead + record.cacheWrite5m + record.cacheWrite1h;
    record.odd = 0;
    record.apiError = false;
    record.written = Number.NaN;
    record.parts = noParts;
    if (has & bit.facts) tellFacts(has, bytes, facts);
    return true;
  }

  function hash(bytes: Buffer, has: number, kind: number, into: Hash): void {
    const length = to(kind) - from(kind);
    if (has & (1 << kind) && length > 0) hashBytes(bytes, from(kind), to(kind), into);
    else into.a = into.b = 0;
  }

  function is(bytes: Buffer, has: number, kind: number, word: Uint8Array): boolean {
    const at = from(kind);
    if ((has & (1 << kind)) === 0 || to(kind) - at !== word.length) return false;
    for (let index = 0; index < word.length; index++) if (word[index] !== bytes[at + index]) return false;
    return true;
  }

  function tellFacts(has: number, bytes: Buffer, facts: FileFacts): void {
    if (has & bit.cwd && facts.cwd === undefined) facts.cwd = text(bytes, slot.cwd);
    if (has & bit.session && facts.sessionId === undefined) facts.sessionId = text(bytes, slot.session);
    if (has & bit.agentType && facts.agentType === undefined) facts.agentType = text(bytes, slot.agentType);
    if (has & bit.ancestor) {
      const number = sessions(bytes, from(slot.ancestor), to(slot.ancestor));
      addAncestor(facts, names.texts[number]);
    }
  }

  function text(bytes: Buffer, kind: number): string {
    return JSON.parse(bytes.toString("utf8", from(kind) - 1, to(kind) + 1)) as string;
  }
}

export function addAncestor(facts: FileFacts, session: string | undefined): void {
  if (session && !facts.ancestors.includes(session)) facts.ancestors.push(session);
}

const fast: Uint8Array = Buffer.from("fast");
const batch: Uint8Array = Buffer.from("batch");
const us: Uint8Array = Buffer.from("us");

const bit = {
  stop: 1 << slot.stop,
  cwd: 1 << slot.cwd,
  session: 1 << slot.session,
  agentType: 1 << slot.agentType,
  time: 1 << slot.time,
  model: 1 << slot.model,
  agent: 1 << slot.agent,
  ancestor: 1 << slot.ancestor,
  cacheRead: 1 << slot.cacheRead,
  written: 1 << slot.written,
  write5m: 1 << slot.write5m,
  write1h: 1 << slot.write1h,
  searches: 1 << slot.searches,
  thinking: 1 << slot.thinking,
  facts: (1 << slot.cwd) | (1 << slot.session) | (1 << slot.agentType) | (1 << slot.ancestor),
} as const;
