import type { ToolInput } from "../protocol/internal.ts";
import type { AnswerSummary, AppHandler, Effect, HandlerResult, ReplayDecision } from "./child-protocol.ts";
import type { PastEventName } from "./past-event.ts";

/** What an app would have done to the past. */
export interface ReplayReport {
  readonly hooks: string;
  /** What was read. */
  readonly files: number;
  readonly bytes: number;
  readonly sessions: number;
  readonly toolCalls: number;
  readonly prompts: number;
  /** Copies in forked and archived files, each of which was left out. */
  readonly repeated: number;
  readonly unreadableLines: number;
  /** Files that could not be read, or not to their end; what was read before is counted. */
  readonly unread: readonly { readonly file: string; readonly why: string }[];
  /** How often each event got each answer. */
  readonly events: readonly EventCount[];
  readonly handlers: readonly HandlerReport[];
  /** Calls that would have been refused or asked about; at most as many as asked for. */
  readonly listed: readonly ListedEvent[];
  readonly listedInAll: number;
  /** How many of them had been refused then already. */
  readonly refusedThen: number;
  /** Handlers of events that transcripts do not tell of. */
  readonly notReplayed: readonly AppHandler[];
  readonly changes: readonly InputChange[];
  readonly changesInAll: number;
  readonly effects: readonly (Effect & { readonly count: number })[];
  readonly tasks: readonly { readonly name: string; readonly count: number }[];
  readonly failures: readonly { readonly handler: string; readonly error: string; readonly count: number }[];
  /** Parts of payloads that no transcript holds. */
  readonly missing: readonly { readonly part: string; readonly events: number }[];
  readonly against?: Against;
}

export interface EventCount {
  readonly event: PastEventName;
  readonly seen: number;
  readonly decisions: Readonly<Partial<Record<ReplayDecision, number>>>;
  readonly inputsChanged: number;
  readonly outputsChanged: number;
  readonly contexts: number;
}

export interface HandlerReport {
  readonly name: string;
  readonly calls: number;
  readonly outcomes: Readonly<Partial<Record<HandlerResult["outcome"], number>>>;
  readonly medianMs?: number;
  readonly p95Ms?: number;
  readonly maxMs?: number;
}

/** One event, as a line. */
export interface EventLine {
  readonly at?: string;
  readonly session: string;
  readonly event: PastEventName;
  readonly tool?: string;
  /** The tool's input, or the prompt, cut to a line. */
  readonly input: string;
}

export interface ListedEvent extends EventLine {
  readonly decision: ReplayDecision;
  readonly reason?: string;
  /** A hook, a rule or the user had refused it then. */
  readonly refusedThen?: true;
}

export interface InputChange extends EventLine {
  readonly before: ToolInput;
  readonly after: ToolInput;
}

/** Calls whose answer differs from that of the other app. */
export interface Against {
  readonly hooks: string;
  readonly differing: number;
  /** What this app says to them. */
  readonly decisions: Readonly<Partial<Record<ReplayDecision, number>>>;
  readonly list: readonly Difference[];
}

export interface Difference extends EventLine {
  readonly now: AnswerSummary;
  readonly before: AnswerSummary;
}
