import type { HookType } from "./hook.ts";
import type { Decision, ToolInput, Verdict } from "./hook-output.ts";
import type { LayerKind } from "./settings.ts";
import type { Warning } from "./warning-codes.ts";

/** The combined answer of all hooks of one event. Every event has the same fields; `output` holds the fields that only some events have. */
export interface Outcome {
  readonly event: string;
  readonly decision: Decision;
  /** The operation must not proceed; at the end of a turn: the agent must continue working. */
  readonly blocked: boolean;
  /** Always there with `ask`, `deny` and `blocked`. */
  readonly reason?: string;
  readonly continue: boolean;
  readonly stopReason?: string;
  readonly updatedInput?: ToolInput;
  readonly additionalContext: readonly string[];
  readonly systemMessages: readonly string[];
  readonly output: OutcomeOutput;
  readonly runs: readonly RunRecord[];
  readonly skipped: readonly Skip[];
  readonly warnings: readonly Warning[];
}

/** Event-specific answers. */
export interface OutcomeOutput {
  readonly envFiles?: readonly string[];
  readonly watchPaths?: readonly string[];
  readonly initialUserMessage?: string;
  readonly sessionTitle?: string;
  readonly reloadSkills?: boolean;
  readonly suppressOriginalPrompt?: boolean;
  readonly displayContent?: string;
  readonly permission?: PermissionOutput;
  readonly retry?: boolean;
  readonly updatedToolOutput?: unknown;
  readonly classifierContext?: string;
  readonly stopBlocks?: { readonly count: number; readonly cap: number };
  readonly customInstructions?: string;
  readonly worktreePath?: string;
  readonly action?: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, unknown>>;
  readonly terminalSequence?: string;
}

/** How a PermissionRequest hook answered. */
export interface PermissionOutput {
  readonly behavior: "allow" | "deny";
  readonly message?: string;
  readonly interrupt?: boolean;
  readonly updatedPermissions?: readonly PermissionUpdate[];
}

/** Where a change of permission rules is saved. */
export type PermissionDestination = "session" | "localSettings" | "projectSettings" | "userSettings";

/** A change of permission rules that a hook asks for; the host carries it out. */
export type PermissionUpdate = { readonly destination: PermissionDestination } & (
  | {
      readonly type: "addRules" | "replaceRules" | "removeRules";
      readonly rules: readonly { readonly toolName: string; readonly ruleContent?: string }[];
      readonly behavior: "allow" | "ask" | "deny";
    }
  | { readonly type: "setMode"; readonly mode: string }
  | { readonly type: "addDirectories" | "removeDirectories"; readonly directories: readonly string[] }
);

/** Which hook: enough to find it in its file and to recognize it in the next run. */
export interface HookRef {
  /** Stable: layer, event, group, index and a hash of the content. */
  readonly id: string;
  readonly event: string;
  /** One of the types; for an entry that cannot be used, what its file contains. */
  readonly type: HookType | (string & {});
  readonly source: LayerKind;
  readonly file?: string;
  readonly matcher?: string;
  /** How users recognize it: the command, url, `server:tool`, or the beginning of a prompt. */
  readonly name: string;
}

/** How a run ended; the other fields are details of `by`. */
export type Ended =
  | { readonly by: "exit"; readonly code: number }
  | { readonly by: "signal"; readonly signal: string }
  | { readonly by: "timeout"; readonly afterMs: number }
  | { readonly by: "cancelled"; readonly why?: string }
  | { readonly by: "not-started"; readonly why: string }
  | { readonly by: "answered" }
  | { readonly by: "threw"; readonly message: string }
  | { readonly by: "http"; readonly status: number }
  | { readonly by: "background" };

/** What one hook returned, as far as the event uses it. */
export interface HookAnswerRecord {
  readonly verdict: Verdict;
  readonly input?: ToolInput;
  readonly context?: readonly string[];
  readonly messages?: readonly string[];
  readonly stop?: { readonly reason?: string };
  readonly output?: OutcomeOutput;
  /** Why the run counts as failed; the failure policy decides what that means. */
  readonly failure?: string;
}

/** What a hook's call of a model used. */
export interface HookModelUsage {
  /** As the API names it. */
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
  /** Absent when the host knows no price. */
  readonly costUsd?: number;
}

/** One run of one hook. */
export interface RunRecord {
  readonly hook: HookRef;
  readonly ended: Ended;
  readonly verdict: Verdict;
  /** When it began, in ms since 1970 on the clock port. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly droppedBytes?: { readonly stdout: number; readonly stderr: number };
  readonly background: boolean;
  readonly round: 1 | 2;
  /** Calls of models that a prompt or agent hook made, as far as the host's port tells; also of runs that failed. */
  readonly spent?: readonly HookModelUsage[];
  /** Everything else it returned, and why it failed if it did. */
  readonly answer?: Omit<HookAnswerRecord, "verdict">;
}

/** Why a hook did not run. */
export type SkipReason =
  | "matcher"
  | "if"
  | "trust"
  | "policy"
  | "duplicate"
  | "disabled"
  | "once"
  | "unsupported"
  | "recursion";

/** A hook that did not run, and what decided that. */
export interface Skip {
  readonly hook: HookRef;
  readonly why: SkipReason;
  readonly detail: string;
}
