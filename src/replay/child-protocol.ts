import type { ToolInput } from "../protocol/internal.ts";
import type { WirePayload } from "../sdk/index.ts";

/** The first line that the replaying process gets. */
export interface ChildSetup {
  readonly hooks: string;
  readonly cwd: string;
  /** The only folder it may write to. */
  readonly scratch: string;
  /** Stands before every line of ours on its stdout: what else appears there was printed by the app. */
  readonly mark: string;
  readonly allowEffects: boolean;
}

/** One event for it. */
export interface ReplayQuestion {
  readonly payload: WirePayload;
  readonly at?: string;
  readonly project?: string;
}

/** Its first line: ready, or why the app cannot be replayed. */
export type ChildReady =
  | { readonly ready: true; readonly deadlineMs: number; readonly handlers: readonly AppHandler[] }
  | { readonly ready: false; readonly why: string; readonly effects: readonly Effect[] };

/** A handler of the app, whether or not it is replayed. */
export interface AppHandler {
  readonly event: string;
  readonly name: string;
}

/** What the answer means. `effect-refused`: unknown, because a guard failed only because this is a replay. */
export type ReplayDecision = "none" | "allow" | "ask" | "defer" | "deny" | "block" | "halt" | "effect-refused";

/** An answer, without how it came about. */
export interface AnswerSummary {
  readonly decision: ReplayDecision;
  readonly reason?: string;
  /** The input the tool would have been given instead. */
  readonly input?: ToolInput;
  readonly outputChanged?: true;
  /** Texts for the model and for the user. */
  readonly contexts?: readonly string[];
  readonly messages?: readonly string[];
}

/** What the app said to one event. */
export interface ReplayAnswer extends AnswerSummary {
  readonly handlers: readonly HandlerResult[];
  readonly effects?: readonly Effect[];
  /** Names of tasks that would have been started. */
  readonly tasks?: readonly string[];
  readonly strays?: readonly UncaughtError[];
  /** Equal for two answers that a host cannot tell apart. */
  readonly print: string;
}

export interface HandlerResult {
  readonly name: string;
  readonly outcome: "answered" | "passed" | "skipped" | "failed" | "timed-out" | "not-reached" | "effect-refused";
  readonly ms: number;
  readonly error?: string;
}

/** An uncaught error. */
export interface UncaughtError {
  readonly handler: string;
  readonly error: string;
}

/** Something a handler tried to do to the world. */
export interface Effect {
  readonly kind: "write" | "process" | "network" | "thread" | "signal" | "other";
  readonly target: string;
  readonly handler?: string;
}
