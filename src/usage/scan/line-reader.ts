import { type Hash, hashText } from "../calls/hash.ts";
import type { Names } from "../calls/names.ts";
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
  const models = nameReader();
  const agents = nameReader();
  const sessions = nameReader();
  const timeOf = timeReader();
  const synthetic = names.numberOf("<synthetic>");
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
      return stoppedAt === end && fill(shape, facts) ? saw.record : saw.unknown;
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
  function fill({ has, rank: ranked }: Shape, facts: FileFacts): boolean {
    const { from, to, hashA, hashB, counts, stopped } = memory.found;
    const isNamed = (has & bit.id) !== 0 && (to[slot.id] as number) > (from[slot.id] as number);
    const isAsked = (has & bit.request) !== 0 && (to[slot.request] as number) > (from[slot.request] as number);
    // Without an id the request is the key; without a request, too, the slow reader looks for another.
    if (!isNamed && !isAsked) return false;
    const key = isNamed ? slot.id : slot.request;
    record.key.a = hashA[key] as number;
    record.key.b = hashB[key] as number;
    record.request.a = isAsked ? (hashA[slot.request] as number) : 0;
    record.request.b = isAsked ? (hashB[slot.request] as number) : 0;
    record.model = (has & bit.model) === 0 ? 0 : models(slot.model);
    // What the client made up is rare, and its text is wanted too.
    if (record.model === synthetic) return false;
    record.agent = (has & bit.agent) === 0 ? 0 : agents(slot.agent);
    record.at =
      (has & bit.time) === 0 ? Number.NaN : timeOf(memory.bytes, from[slot.time] as number, to[slot.time] as number);
    if (ranked === rank.copy && Number.isNaN(record.at)) return false;
    record.stopped = (has & bit.stop) !== 0 && stopped[0] === 1;
    record.fast = (has & bit.speed) !== 0 && hashA[slot.speed] === fast.a && hashB[slot.speed] === fast.b;
    record.batch = (has & bit.tier) !== 0 && hashA[slot.tier] === batch.a && hashB[slot.tier] === batch.b;
    record.us = (has & bit.geo) !== 0 && hashA[slot.geo] === us.a && hashB[slot.geo] === us.b;
    record.input = counts[slot.input] as number;
    record.output = counts[slot.output] as number;
    record.cacheRead = (has & bit.cacheRead) === 0 ? 0 : (counts[slot.cacheRead] as number);
    record.thinking = (has & bit.thinking) === 0 ? 0 : (counts[slot.thinking] as number);
    record.webSearches = (has & bit.searches) === 0 ? 0 : (counts[slot.searches] as number);
    const written = (has & bit.written) === 0 ? 0 : (counts[slot.written] as number);
    const write5m = (has & bit.write5m) === 0 ? 0 : (counts[slot.write5m] as number);
    record.cacheWrite1h = (has & bit.write1h) === 0 ? 0 : (counts[slot.write1h] as number);
    record.assumed5m = Math.max(0, written - write5m - record.cacheWrite1h);
    record.cacheWrite5m = write5m + record.assumed5m;
    record.prompt = record.input + record.cacheRead + record.cacheWrite5m + record.cacheWrite1h;
    record.odd = 0;
    record.apiError = false;
    record.written = Number.NaN;
    record.parts = noParts;
    if ((has & bit.ancestor) !== 0) addAncestor(facts, names.texts[sessions(slot.ancestor)]);
    if (facts.cwd === undefined || facts.sessionId === undefined || facts.agentType === undefined)
      tellFacts(has, facts);
    return true;
  }

  function tellFacts(has: number, facts: FileFacts): void {
    if ((has & bit.cwd) !== 0) facts.cwd ??= text(slot.cwd);
    if ((has & bit.session) !== 0) facts.sessionId ??= text(slot.session);
    if ((has & bit.agentType) !== 0) facts.agentType ??= text(slot.agentType);
  }

  function text(kind: number): string {
    const { from, to } = memory.found;
    return JSON.parse(memory.bytes.toString("utf8", (from[kind] as number) - 1, (to[kind] as number) + 1)) as string;
  }

  /** Numbers of the texts in a slot, by their hash: decoding costs more than looking up. */
  function nameReader(): (kind: number) => number {
    const known = new Map<number, number>();
    let lastA = 0;
    let lastB = 0;
    let last = 0;
    return (kind) => {
      const { from, to, hashA, hashB } = memory.found;
      const a = hashA[kind] as number;
      const b = hashB[kind] as number;
      if (a === lastA && b === lastB) return last;
      // Fifty-three bits of the hash fit a number.
      const key = a * 0x200000 + (b >>> 11);
      let number = known.get(key);
      if (number === undefined) {
        number = names.numberOf(memory.bytes.toString("latin1", from[kind], to[kind]));
        known.set(key, number);
      }
      lastA = a;
      lastB = b;
      last = number;
      return number;
    };
  }
}

function hashOf(text: string): Hash {
  const hash = { a: 0, b: 0 };
  hashText(text, hash);
  return hash;
}

const fast = hashOf("fast");
const batch = hashOf("batch");
const us = hashOf("us");

export function addAncestor(facts: FileFacts, session: string | undefined): void {
  if (session && !facts.ancestors.includes(session)) facts.ancestors.push(session);
}

const bit = {
  stop: 1 << slot.stop,
  id: 1 << slot.id,
  request: 1 << slot.request,
  tier: 1 << slot.tier,
  geo: 1 << slot.geo,
  speed: 1 << slot.speed,
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
} as const;
