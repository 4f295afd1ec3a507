import type { EventRow, HookRef, RunRecord, Warning } from "../protocol/index.ts";
import type { ConfiguredHook } from "./configured.ts";
import type { AnyPayload } from "./payload.ts";
import type { Environment } from "./runners/command/environment.ts";
import type { SharedCopies } from "./runners/frozen-copy.ts";
import type { HttpPolicy } from "./runners/http.ts";
import type { StartTrust } from "./trust/unchanged.ts";

/** One event on its way through its hooks. */
export interface Firing {
  readonly row: EventRow;
  readonly payload: AnyPayload;
  /** Event and matched value, as in `PreToolUse:Bash`. */
  readonly occasion: string;
  readonly signal: AbortSignal;
  readonly depth: number;
  readonly round: 1 | 2;
  /** Awaits background hooks too. */
  readonly forceSync: boolean;
  /** The host goes on without the outcome: command hooks run in the background. */
  readonly unawaited: boolean;
  /** What in-process hooks share; filled when the first of them runs. */
  readonly copies: SharedCopies;
  /** The environment of a hook, by its layer. */
  environmentOf(hook: ConfiguredHook): Environment;
  httpPolicyOf(hook: ConfiguredHook): HttpPolicy;
  /** Asked again immediately before a program is started. */
  startTrust(hook: ConfiguredHook): StartTrust;
  readonly onStep: ((step: RunStep) => void) | undefined;
  readonly progress: WatchedProgress | undefined;
}

/** What a command hook has printed by now; it still runs. */
export interface HookProgress {
  readonly hook: HookRef;
  readonly stdout: string;
  readonly stderr: string;
}

/** Whoever wants to know what hooks print while they run, and how often at most. */
export interface WatchedProgress {
  readonly everyMs: number;
  /** Contract: as an observer, cannot delay or change an outcome. */
  tell(progress: HookProgress): void;
}

/** Progress of a fired event. */
export type RunStep =
  | { readonly kind: "started"; readonly hook: HookRef; readonly statusMessage?: string }
  | { readonly kind: "ended"; readonly record: RunRecord };

export interface OneRun {
  readonly record: RunRecord;
  readonly warnings: readonly Warning[];
}
