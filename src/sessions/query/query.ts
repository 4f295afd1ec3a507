import type { EntryBlock } from "../model/content-block.ts";
import type { AttachmentEntry, AttachmentType, Entry, SystemEntry, SystemSubtype, UserEntry } from "../model/entry.ts";
import type { ModelCall } from "../model/model-call.ts";
import type { SessionToolCall } from "../model/session-tool-call.ts";
import type { Subagent } from "../model/subagents.ts";

/** What a query yields: entries, model calls, tool calls or agents. */
export type QueryElement = Entry | ModelCall | SessionToolCall | Subagent;

/** A point in a session: a date, ISO text, a time before now (`"90m"`, `"2h"`, `"3d"`), or the uuid of an entry. */
export type TimeBoundary = Date | string;

/**
 * A selection from a session. Every method that narrows it returns a new query. Nothing is read before a result is requested, and then
 * no more than needed. Filters can be applied in any order. Without `branch` the query uses the active one.
 */
export interface Query<T extends QueryElement> extends AsyncIterable<T> {
  /** All entries. */
  entries(): Query<Entry>;
  /** Prompts; with `all`, every line of role user. */
  users(options?: { all?: boolean }): Query<UserEntry>;
  /** Answers of models. An answer of several lines is one call. */
  assistants(): Query<ModelCall>;
  /** Tool calls. */
  tools(): Query<SessionToolCall>;
  /** Calls of a tool by name; `*` is a wildcard. */
  tool(name: string | RegExp): Query<SessionToolCall>;
  /** Attachments, of one type if given. */
  attachments(type?: AttachmentType): Query<AttachmentEntry>;
  /** System entries, of one subtype if given. */
  system(subtype?: SystemSubtype): Query<SystemEntry>;
  /** Records of hooks. */
  hooks(event?: string): Query<AttachmentEntry>;
  /** Subagents, down to a depth if given. */
  agents(options?: { depth?: number }): Query<Subagent>;

  /** Only elements with tool calls. */
  withTools(): Query<T>;
  /** Only elements with text. */
  withText(): Query<T>;
  /** Only elements with thinking. */
  withThinking(): Query<T>;
  /** Tool errors, API errors, failed hooks. */
  errors(): Query<T>;
  /** Only answers of this model. */
  model(name: string | RegExp): Query<T>;
  /** Only elements that contain the text. */
  matching(text: string | RegExp): Query<T>;
  /** Only elements for which `test` is true. */
  where(test: (element: T) => boolean): Query<T>;

  /** From a time on: a date, ISO text, `"2h"` before now, or the uuid of an entry. */
  since(time: TimeBoundary): Query<T>;
  /** Up to a time. */
  until(time: TimeBoundary): Query<T>;
  /** Turns are counted from 1; -1 is the last one. */
  turn(number: number): Query<T>;
  /** One branch, by its leaf. */
  branch(which: "active" | "all" | string): Query<T>;
  /** Also entries of agents, at any depth. */
  including(what: "agents"): Query<T>;

  /** Leaves out the first ones. */
  skip(count: number): Query<T>;
  /** At most this many. */
  limit(count: number): Query<T>;
  /** Last one first. */
  reverse(): Query<T>;

  /** The first element. */
  first(): Promise<T | undefined>;
  /** The last element. */
  last(): Promise<T | undefined>;
  /** All elements as a list. */
  all(): Promise<T[]>;
  /** How many there are. */
  count(): Promise<number>;
  /** Whether there is one. */
  exists(): Promise<boolean>;
  /** All elements by key. */
  groupBy<K>(key: (element: T) => K): Promise<Map<K, T[]>>;
}

/** A query as data. `QuerySource` runs it. */
export interface QueryPlan {
  readonly of: "entries" | "calls" | "tools" | "agents";
  readonly tests: readonly QueryTest[];
  readonly branch: string;
  readonly agents: boolean;
  readonly turn?: number;
  readonly slices: readonly QuerySlice[];
}

/** The facts that filters use, the same for every kind of element. */
export interface ElementFacts {
  /** Its first line. */
  readonly entry: Entry | undefined;
  readonly timestamp: string | undefined;
  readonly model: string | undefined;
  readonly blocks: readonly EntryBlock[];
  readonly failed: boolean;
  /** All readable text in it. */
  text(): string;
}

export type ElementTest = (element: QueryElement, facts: ElementFacts) => boolean;

/** Makes the test of a filter when the query runs, because it may have to find an entry first. */
export type QueryTest = (source: QuerySource) => ElementTest | Promise<ElementTest>;

export type QuerySlice = { readonly skip: number } | { readonly limit: number } | { readonly reverse: true };

export interface QuerySource {
  /** With `end: "back"` the last element comes first. */
  run(plan: QueryPlan, end: "front" | "back"): AsyncIterable<QueryElement>;
  readonly now: () => number;
  entryWith(uuid: string): Promise<Entry | undefined>;
}
