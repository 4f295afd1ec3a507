import type { ToolInput } from "../protocol/internal.ts";
import type { AnswerSummary, Effect, HandlerResult, ReplayDecision, ReplayedHandler } from "./child-protocol.ts";
import type { PastEventName } from "./past-event.ts";

/** What an app would have done in past sessions. */
export interface ReplayReport {
  readonly hooks: string;
  /** Transcripts that were read. */
  readonly files: number;
  readonly bytes: number;
  readonly sessions: number;
  readonly toolCalls: number;
  readonly prompts: number;
  /** Copies of events in forked and archived files; they are not counted again. */
  readonly repeated: number;
  readonly unreadableLines: number;
  /** Files that could not be read, or only in part. The part that was read counts. */
  readonly unread: readonly { readonly file: string; readonly why: string }[];
  /** How often each event received each answer. */
  readonly events: readonly EventCount[];
  /** Every handler of the app: first those that were called. */
  readonly handlers: readonly HandlerReport[];
  /** Calls that would have been refused, or that the user would have been asked about; at most `limit`. */
  readonly listed: readonly ListedEvent[];
  readonly listedInAll: number;
  /** How many of them were also refused at the time. */
  readonly refusedThen: number;
  /** Handlers of events that transcripts do not record. */
  readonly notReplayed: readonly ReplayedHandler[];
  /** Tools that were asked for and do not occur. Absent when all of them do. */
  readonly toolsNotFound?:
    | readonly { readonly tool: string; readonly meant?: string; readonly occurring: readonly string[] }[]
    | undefined;
  readonly changes: readonly InputChange[];
  readonly changesInAll: number;
  readonly effects: readonly (Effect & { readonly count: number })[];
  readonly tasks: readonly { readonly name: string; readonly count: number }[];
  readonly failures: readonly { readonly handler: string; readonly error: string; readonly count: number }[];
  /** Parts of payloads that transcripts do not record. */
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
  /** Only of a handler that was never called: what it is registered for. */
  readonly event?: string;
  readonly what?: readonly string[] | undefined;
}

/** One event in one line. */
export interface EventLine {
  readonly at?: string;
  readonly session: string;
  readonly event: PastEventName;
  readonly tool?: string;
  /** The tool's input or the prompt, shortened to one line. */
  readonly input: string;
}

export interface ListedEvent extends EventLine {
  readonly decision: ReplayDecision;
  readonly reason?: string;
  /** A hook, a rule or the user refused it at the time. */
  readonly refusedThen?: true;
}

export interface InputChange extends EventLine {
  readonly before: ToolInput;
  readonly after: ToolInput;
}

/** Events for which the two apps give different answers. */
export interface Against {
  readonly hooks: string;
  readonly differing: number;
  /** The answers of this app to them. */
  readonly decisions: Readonly<Partial<Record<ReplayDecision, number>>>;
  readonly list: readonly Difference[];
}

export interface Difference extends EventLine {
  readonly now: AnswerSummary;
  readonly before: AnswerSummary;
}
