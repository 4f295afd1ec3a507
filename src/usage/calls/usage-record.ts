import type { Tokens } from "../../sessions/index.ts";
import type { Hash } from "./hash.ts";

/**
 * One usage record as its line tells it, before it is compared with any other. The scanner fills the same object for
 * every line: a line costs no allocation.
 */
export interface UsageRecord extends Counts {
  readonly key: Hash;
  /** 0, 0 when the line names no request. */
  readonly request: Hash;
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
  /** Micro-dollars that an older client wrote beside the answer; NaN when none were. */
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
