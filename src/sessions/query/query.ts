import type { AttachmentEntry, AttachmentType, Entry, SystemEntry, SystemSubtype, UserEntry } from "../model/entry.ts";
import type { ModelCall } from "../model/model-call.ts";
import type { SessionToolCall } from "../model/session-tool-call.ts";
import type { Subagent } from "../model/subagents.ts";
import type { ElementFacts, QueryElement, TimeBoundary } from "./query-filters.ts";

/**
 * A question about a session. Every step gives a new query; nothing is read before a result is asked for, and then no more
 * than the answer needs. Filters may come in any order. Unless a branch is named, the active one is looked at.
 */
export interface Query<T extends QueryElement> extends AsyncIterable<T> {
  entries(): Query<Entry>;
  /** Prompts; every line of role user with `all`. */
  users(options?: { all?: boolean }): Query<UserEntry>;
  /** Answers, each once however many lines it has. */
  assistants(): Query<ModelCall>;
  tools(): Query<SessionToolCall>;
  /** Tools by name; `*` in a name stands for anything. */
  tool(name: string | RegExp): Query<SessionToolCall>;
  attachments(type?: AttachmentType): Query<AttachmentEntry>;
  system(subtype?: SystemSubtype): Query<SystemEntry>;
  /** What hooks left in the transcript. */
  hooks(event?: string): Query<AttachmentEntry>;
  agents(options?: { depth?: number }): Query<Subagent>;

  withTools(): Query<T>;
  withText(): Query<T>;
  withThinking(): Query<T>;
  /** Tool errors, API errors, failed hooks. */
  errors(): Query<T>;
  model(name: string | RegExp): Query<T>;
  matching(text: string | RegExp): Query<T>;
  where(test: (element: T) => boolean): Query<T>;

  /** From a time on: a date, ISO text, `"2h"` before now, or the uuid of an entry. */
  since(time: TimeBoundary): Query<T>;
  until(time: TimeBoundary): Query<T>;
  /** Turns count from 1; -1 is the last. */
  turn(number: number): Query<T>;
  branch(which: "active" | "all" | string): Query<T>;
  /** Also what agents wrote, at any depth. */
  including(what: "agents"): Query<T>;

  skip(count: number): Query<T>;
  limit(count: number): Query<T>;
  reverse(): Query<T>;

  first(): Promise<T | undefined>;
  last(): Promise<T | undefined>;
  all(): Promise<T[]>;
  count(): Promise<number>;
  exists(): Promise<boolean>;
  groupBy<K>(key: (element: T) => K): Promise<Map<K, T[]>>;
}

/** What is asked, as data: `source` runs it. */
export interface QueryPlan {
  readonly of: "entries" | "calls" | "tools" | "agents";
  readonly tests: readonly QueryTest[];
  readonly branch: string;
  readonly agents: boolean;
  readonly turn?: number;
  readonly slices: readonly QuerySlice[];
}

export type QueryTest =
  | { readonly kind: "facts"; readonly passes: (element: QueryElement, facts: ElementFacts) => boolean }
  | { readonly kind: "time"; readonly side: "since" | "until"; readonly boundary: TimeBoundary };

export type QuerySlice = { readonly skip: number } | { readonly limit: number } | { readonly reverse: true };

/** Runs plans. `end: "back"` asks for the elements last one first. */
export interface QuerySource {
  run(plan: QueryPlan, end: "front" | "back"): AsyncIterable<QueryElement>;
  /** A test for a time or an entry, with the clock and the session at hand. */
  readonly now: () => number;
  positionOf(uuid: string): Promise<Entry | undefined>;
}
