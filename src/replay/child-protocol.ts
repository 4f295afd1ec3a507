import type { ToolInput } from "../protocol/internal.ts";
import type { WirePayload } from "../sdk/index.ts";

/** The first line to the replaying process. */
export interface ChildSetup {
  readonly hooks: string;
  readonly cwd: string;
  /** The only folder it may write to. */
  readonly scratch: string;
  /** Begins every line of the protocol on its stdout. The app printed all other lines. */
  readonly mark: string;
  readonly allowEffects: boolean;
}

/** Each further line to it: one event. */
export interface ReplayQuestion {
  readonly payload: WirePayload;
  readonly at?: string | undefined;
  readonly project?: string | undefined;
}

/** Its first line: the app is loaded, or why it cannot be replayed. */
export type ChildReady =
  | {
      readonly ready: true;
      readonly deadlineMs: number;
      readonly handlers: readonly ReplayedHandler[];
      /** The events that a failed handler blocks. */
      readonly guarded: readonly string[];
    }
  | { readonly ready: false; readonly why: string; readonly effects: readonly Effect[] };

/** A line for each handler of a guarded event that starts: a handler that blocks the process cannot be named later. */
export interface HandlerStart {
  readonly starts: string;
}

/** A handler of the app, whether or not its event can be replayed. */
export interface ReplayedHandler {
  readonly event: string;
  readonly name: string;
  /** The tools, or other values of the event, that it is registered for. Absent: all. */
  readonly what?: readonly string[] | undefined;
}

/** `effect-refused`: unknown, because a guard failed only because effects are refused in a replay. */
export type ReplayDecision = "none" | "allow" | "ask" | "defer" | "deny" | "block" | "halt" | "effect-refused";

/** An answer as the report shows it. */
export interface AnswerSummary {
  readonly decision: ReplayDecision;
  readonly reason?: string;
  /** The input that the tool would have received instead. */
  readonly input?: ToolInput;
  readonly outputChanged?: true;
  /** Texts for the model. */
  readonly contexts?: readonly string[];
  /** Texts for the user. */
  readonly messages?: readonly string[];
}

/** Each further line from it: the answer to one event. */
export interface ReplayAnswer extends AnswerSummary {
  readonly handlers: readonly HandlerResult[];
  readonly effects?: readonly Effect[];
  /** Names of tasks that would have been started. */
  readonly tasks?: readonly string[];
  readonly uncaughtErrors?: readonly UncaughtError[];
  /** Equal for two answers that a host cannot tell apart. */
  readonly fingerprint: string;
}

export interface HandlerResult {
  readonly name: string;
  readonly outcome: "answered" | "passed" | "skipped" | "failed" | "timed-out" | "not-reached" | "effect-refused";
  readonly ms: number;
  readonly error?: string;
}

export interface UncaughtError {
  readonly handler: string;
  readonly error: string;
}

/** An effect that a handler attempted. */
export interface Effect {
  readonly kind: "write" | "process" | "network" | "thread" | "signal" | "other";
  readonly target: string;
  readonly handler?: string;
}
