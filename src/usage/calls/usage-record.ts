import type { Tokens } from "../../sessions/internal.ts";

/**
 * One usage record as its line tells it, before it is compared with any other. The scanner fills the same object for
 * every line: a line costs no allocation.
 */
export interface UsageRecord extends Counts {
  readonly key: IdHash;
  /** 0, 0 when the line names no request. */
  readonly request: IdHash;
  /** Numbers of names; 0 is none. */
  model: number;
  agent: number;
  /** Tokens of the prompt: of the largest `message` iteration where there are several. */
  prompt: number;
  /** Cache writes whose lifetime was not written: counted as five minutes. */
  assumed5m: number;
  /** How many counts were no counts. */
  odd: number;
  stopped: boolean;
  fast: boolean;
  batch: boolean;
  us: boolean;
  rank: Rank;
  apiError: boolean;
  /** Milliseconds; NaN when the line has no valid time. */
  at: number;
  /** Micro-dollars that an older client wrote with the answer; NaN when there are none. */
  written: number;
  parts: readonly RecordPart[];
}

type Counts = { -readonly [Name in keyof Tokens]: Tokens[Name] };

/** Whose word counts when several files hold a call: a plain line, one of a sidechain, a copy in a progress line. */
export type Rank = 0 | 1 | 2;
export const rank = { main: 0, sidechain: 1, copy: 2 } as const;

/** An iteration that the call's own counts leave out. */
export interface RecordPart extends Tokens {
  readonly model: string;
  readonly fast: boolean;
}

export const noParts: readonly RecordPart[] = [];

export function emptyRecord(): UsageRecord {
  return {
    key: { a: 0, b: 0 },
    request: { a: 0, b: 0 },
    model: 0,
    agent: 0,
    input: 0,
    output: 0,
    thinking: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    cacheRead: 0,
    webSearches: 0,
    prompt: 0,
    assumed5m: 0,
    odd: 0,
    stopped: false,
    fast: false,
    batch: false,
    us: false,
    rank: rank.main,
    apiError: false,
    at: Number.NaN,
    written: Number.NaN,
    parts: noParts,
  };
}

export function clearRecord(record: UsageRecord): void {
  record.key.a = record.key.b = 0;
  record.request.a = record.request.b = 0;
  record.model = record.agent = 0;
  clearUsage(record);
  record.stopped = false;
  record.rank = rank.main;
  record.apiError = false;
  record.at = record.written = Number.NaN;
}

/** What a usage object says; a second one in the same message replaces the first. */
export function clearUsage(record: UsageRecord): void {
  record.input = record.output = record.thinking = 0;
  record.cacheWrite5m = record.cacheWrite1h = record.cacheRead = 0;
  record.webSearches = record.prompt = record.assumed5m = record.odd = 0;
  record.fast = record.batch = record.us = false;
  record.parts = noParts;
}

/**
 * Sixty-four bits that stand for an id, as two words: ids are only ever compared, and this many bits make two of them
 * meet by chance less often than a disk flips one.
 */
export interface IdHash {
  a: number;
  b: number;
}

/** Writes the hash of `bytes[from..to)` into `into`. Never 0, 0: that says "no id". */
export function hashId(bytes: Uint8Array, from: number, to: number, into: IdHash): void {
  let a = 0x811c9dc5 ^ (to - from);
  let b = 0x9747b28c | 0;
  for (let p = from; p < to; p++) {
    const byte = bytes[p] as number;
    a = Math.imul(a ^ byte, 0x01000193);
    b = (Math.imul(b, 0x5bd1e995) + byte) | 0;
  }
  a ^= a >>> 15;
  a = Math.imul(a, 0x2c1b3c6d);
  a ^= a >>> 12;
  b ^= b >>> 16;
  b = Math.imul(b ^ a, 0x297a2d39);
  b ^= b >>> 15;
  into.a = a >>> 0;
  into.b = (b | 1) >>> 0;
}

export function hashText(text: string, into: IdHash): void {
  const bytes = Buffer.from(text);
  hashId(bytes, 0, bytes.length, into);
}

/** Texts by number, so that columns can hold them. Number 0 is the empty text: "none". */
export interface NameTable {
  readonly texts: readonly string[];
  numberOf(text: string): number;
}

export function openNameTable(known: readonly string[] = [""]): NameTable {
  const texts = [...known];
  const numbers = new Map(texts.map((text, index) => [text, index]));
  return {
    texts,
    numberOf(text) {
      const number = numbers.get(text);
      if (number !== undefined) return number;
      texts.push(text);
      numbers.set(text, texts.length - 1);
      return texts.length - 1;
    },
  };
}
