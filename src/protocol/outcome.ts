import type { HookType } from "./hook.ts";
import type { Decision, ToolInput, Verdict } from "./hook-output.ts";
import type { LayerKind } from "./settings.ts";
import type { Warning } from "./warning-codes.ts";

/** The combined answer of all hooks of one event. Every event has the same fields; `output` holds the fields that only some events have. */
export interface Outcome {
  /** The event's name. */
  readonly event: string;
  /** What the hooks decided about the operation: the strongest verdict. */
  readonly decision: Decision;
  /** The operation must not proceed; at the end of a turn: the agent must continue working. */
  readonly blocked: boolean;
  /** Why. Always present with `ask`, `deny` and `blocked`. */
  readonly reason?: string;
  /** False when a hook asked the whole run to stop. */
  readonly continue: boolean;
  /** Why the run should stop, if the hook gave a reason. */
  readonly stopReason?: string;
  /** The tool input to use instead, when a hook rewrote it. */
  readonly updatedInput?: ToolInput;
  /** Texts for the model, in configured order. `wrapContext` wraps them. */
  readonly additionalContext: readonly string[];
  /** Texts for the user, in configured order. */
  readonly systemMessages: readonly string[];
  /** Answers that only some events have. */
  readonly output: OutcomeOutput;
  /** One record per hook that ran. */
  readonly runs: readonly RunRecord[];
  /** One entry per hook that did not run, with the reason. */
  readonly skipped: readonly Skip[];
  /** What works differently than expected. */
  readonly warnings: readonly Warning[];
}

/** Event-specific answers. */
export interface OutcomeOutput {
  /** Files to which hooks could write environment variables (`CLAUDE_ENV_FILE`). */
  readonly envFiles?: readonly string[];
  /** Absolute paths to watch for `FileChanged`. */
  readonly watchPaths?: readonly string[];
  /** A message that starts the first turn. */
  readonly initialUserMessage?: string;
  /** The session's title. */
  readonly sessionTitle?: string;
  /** Whether the host must read its skills again. */
  readonly reloadSkills?: boolean;
  /** Whether the blocked prompt is not shown to the user again. */
  readonly suppressOriginalPrompt?: boolean;
  /** What is shown instead of the text. The stored message is unchanged. */
  readonly displayContent?: string;
  /** How a PermissionRequest hook answered instead of the user. */
  readonly permission?: PermissionOutput;
  /** Whether the model may try the denied call again. */
  readonly retry?: boolean;
  /** What the model sees instead of the tool's output. */
  readonly updatedToolOutput?: unknown;
  /** A text for the host's classifier. */
  readonly classifierContext?: string;
  /** How often in a row hooks made the agent continue, and the limit. */
  readonly stopBlocks?: { readonly count: number; readonly cap: number };
  /** Instructions for the compaction, the user's own first. */
  readonly customInstructions?: string;
  /** The directory that a WorktreeCreate hook created. */
  readonly worktreePath?: string;
  /** The answer to an elicitation. */
  readonly action?: "accept" | "decline" | "cancel";
  /** The values that go with the action `accept`. */
  readonly content?: Readonly<Record<string, unknown>>;
  /** A title, notification or bell for the terminal. */
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
      /** What to do with the rules. */
      readonly type: "addRules" | "replaceRules" | "removeRules";
      /** Each is `toolName(ruleContent)`; without `ruleContent` it covers the whole tool. */
      readonly rules: readonly { readonly toolName: string; readonly ruleContent?: string }[];
      /** The list of the rules. */
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

/** Tokens of one answer, in classes that are priced separately. A class that the API does not report is 0. */
export interface ModelUsage {
  /** Without tokens that were read from or written to the cache. */
  readonly input: number;
  /** Written by the model. */
  readonly output: number;
  /** Written to the cache for 5 minutes. */
  readonly cacheWrite5m: number;
  /** Written to the cache for an hour. */
  readonly cacheWrite1h: number;
  /** Read from the cache. */
  readonly cacheRead: number;
}

/** What a hook's call of a model used. */
export interface HookModelUsage extends ModelUsage {
  /** As the API names it. */
  readonly model: string;
  /** Absent when the host knows no price. */
  readonly costUsd?: number;
}

/** One run of one hook. */
export interface RunRecord {
  /** The hook that ran. */
  readonly hook: HookRef;
  /** How the run ended. */
  readonly ended: Ended;
  /** What the hook decided. */
  readonly verdict: Verdict;
  /** When it began, in ms since 1970 on the clock port. */
  readonly startedAt: number;
  /** How long it ran. */
  readonly durationMs: number;
  /** What it printed on stdout, at most 1 MiB. */
  readonly stdout: string;
  /** What it printed on stderr, at most 1 MiB. */
  readonly stderr: string;
  /** How many bytes of output were dropped, if any. */
  readonly droppedBytes?: { readonly stdout: number; readonly stderr: number };
  /** Whether it continues after the event. */
  readonly background: boolean;
  /** 2 when it ran on a rewritten input. */
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
  /** The hook that did not run. */
  readonly hook: HookRef;
  /** The kind of reason. */
  readonly why: SkipReason;
  /** The reason in words. */
  readonly detail: string;
}
