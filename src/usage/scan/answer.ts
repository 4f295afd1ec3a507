import type { Names } from "../calls/names.ts";
import { noParts, type Rank, rank, type UsageRecord } from "../record.ts";
import type { ScanMemory } from "./memory.ts";
import { slot } from "./shape.ts";
import { timeReader } from "./time-bytes.ts";
import { at, shapeAt } from "./wasm/layout.ts";

/** What a file's lines say about the file itself; the first word on each counts. */
export interface FileFacts {
  cwd: string | undefined;
  sessionId: string | undefined;
  agentType: string | undefined;
  /** Sessions that this one names as its source. */
  readonly ancestors: string[];
}

export function addAncestor(facts: FileFacts, session: string | undefined): void {
  if (session && !facts.ancestors.includes(session)) facts.ancestors.push(session);
}

/** Turns what the program found in an answer into a record. */
export interface AnswerReader {
  /** False when the line says something that is better left to a JSON parser. */
  read(facts: FileFacts): boolean;
  /** When the answer was written; NaN when its line does not tell. Asked for first lines only, so it is not in the record. */
  time(): number;
}

export function answerReader(memory: ScanMemory, names: Names, record: UsageRecord): AnswerReader {
  const models = nameReader();
  const agents = nameReader();
  const sessions = nameReader();
  const timeOf = timeReader();
  const synthetic = names.numberOf("<synthetic>");
  let has = 0;

  return { read, time };

  function read(facts: FileFacts): boolean {
    const { from, to, hashA, hashB, counts, words } = memory.found;
    const shape = (words[at.lastShape / 4] as number) / 4;
    has = words[shape + shapeAt.has / 4] as number;
    record.rank = words[shape + shapeAt.rank / 4] as Rank;
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
    record.at = Number.NaN;
    // A copy without a time takes that of the line it is in.
    if (record.rank === rank.copy && Number.isNaN(time())) return false;
    record.stopped = (has & bit.stop) !== 0 && words[at.stopped / 4] === 1;
    record.fast = (has & bit.speed) !== 0 && is(slot.speed, fast);
    record.batch = (has & bit.tier) !== 0 && is(slot.tier, batch);
    record.us = (has & bit.geo) !== 0 && is(slot.geo, us);
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
    if (facts.cwd === undefined || facts.sessionId === undefined || facts.agentType === undefined) tellFacts(facts);
    return true;
  }

  function time(): number {
    if ((has & bit.time) === 0) return Number.NaN;
    const { from, to } = memory.found;
    return timeOf(memory.bytes, from[slot.time] as number, to[slot.time] as number);
  }

  function is(kind: number, word: Uint8Array): boolean {
    const { from, to } = memory.found;
    const place = from[kind] as number;
    if ((to[kind] as number) - place !== word.length) return false;
    for (let index = 0; index < word.length; index++) if (word[index] !== memory.bytes[place + index]) return false;
    return true;
  }

  function tellFacts(facts: FileFacts): void {
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

const fast: Uint8Array = Buffer.from("fast");
const batch: Uint8Array = Buffer.from("batch");
const us: Uint8Array = Buffer.from("us");

const bit = {
  stop: 1 << slot.stop,
  cwd: 1 << slot.cwd,
  session: 1 << slot.session,
  agentType: 1 << slot.agentType,
  time: 1 << slot.time,
  id: 1 << slot.id,
  request: 1 << slot.request,
  model: 1 << slot.model,
  agent: 1 << slot.agent,
  ancestor: 1 << slot.ancestor,
  tier: 1 << slot.tier,
  geo: 1 << slot.geo,
  speed: 1 << slot.speed,
  cacheRead: 1 << slot.cacheRead,
  written: 1 << slot.written,
  write5m: 1 << slot.write5m,
  write1h: 1 << slot.write1h,
  searches: 1 << slot.searches,
  thinking: 1 << slot.thinking,
} as const;
