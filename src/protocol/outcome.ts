import type { RunRecord, Skip } from "./record.ts";
import type { Decision, ToolInput } from "./verdict.ts";
import type { Warning } from "./warning-codes.ts";

/** What all hooks of one event said together. Every event has the same fields; `output` holds what only its row honours. */
export interface Outcome {
  readonly event: string;
  readonly decision: Decision;
  /** The operation must not go on as planned; at the end of a turn: the agent must go on working. */
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

export interface PermissionOutput {
  readonly behavior: "allow" | "deny";
  readonly message?: string;
  readonly interrupt?: boolean;
  readonly updatedPermissions?: readonly PermissionUpdate[];
}

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
