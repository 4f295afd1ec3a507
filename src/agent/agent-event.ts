import type { RunStep } from "../engine/internal.ts";
import type { ContentBlock, ModelEnd, ModelEvent, ModelRetry } from "../models/internal.ts";
import type { AgentResult, Outcome, Warning } from "../protocol/internal.ts";

/** An event of a run, reported as it happens. An observer cannot change the run. */
export type AgentEvent =
  | {
      readonly kind: "init";
      readonly tools: readonly string[];
      readonly model: string;
      readonly mcpServers: readonly McpState[];
      readonly subagents: readonly string[];
      readonly commands: readonly string[];
      readonly skills: readonly string[];
      /** The variable that holds the key, or `none`. */
      readonly apiKeySource: string;
      readonly plugins: readonly { readonly name: string; readonly path: string }[];
    }
  /** A block of an answer is in the transcript. */
  | {
      readonly kind: "assistant";
      readonly answer: ModelEnd;
      readonly block: ContentBlock;
      readonly uuid: string;
      /** The API did not answer; this line replaces the answer. */
      readonly failure?: ApiFailureLine;
      readonly agent?: TaskIdentity;
      readonly parentToolUseId: string | null;
    }
  | {
      readonly kind: "user";
      readonly content: string | readonly ContentBlock[];
      readonly uuid: string;
      readonly toolUseResult?: unknown;
      /** The agent wrote it in the role of the user. */
      readonly synthetic?: boolean;
      readonly agent?: TaskIdentity;
      readonly parentToolUseId: string | null;
    }
  /** A subagent began, called a tool, or ended. */
  | {
      readonly kind: "task";
      readonly step: TaskStep;
      readonly task: TaskIdentity;
      readonly toolUseId: string;
    }
  /** Rules, the mode or the user refused a tool call. A hook's denial is in its own lines. */
  | { readonly kind: "denied"; readonly tool: string; readonly toolUseId: string; readonly message: string }
  /** A delta of an answer of the main thread, as the model port streamed it. */
  | { readonly kind: "partial"; readonly event: ModelEvent }
  /** Whole lines of text, after MessageDisplay hooks. */
  | { readonly kind: "display"; readonly text: string; readonly final: boolean }
  | ({ readonly kind: "hook"; readonly step: RunStep } & HookRunNames)
  /** The output so far of a hook that is still running; `runId` is the same as in its steps. */
  | ({ readonly kind: "hook-progress"; readonly stdout: string; readonly stderr: string } & HookRunNames)
  | { readonly kind: "outcome"; readonly outcome: Outcome; readonly hookName: string; readonly agent?: string }
  | { readonly kind: "warning"; readonly warning: Warning }
  /** A message for the user. */
  | { readonly kind: "notice"; readonly text: string; readonly level: NoticeLevel }
  | { readonly kind: "retry"; readonly retry: ModelRetry }
  | { readonly kind: "compacted"; readonly trigger: string; readonly preTokens: number; readonly postTokens: number }
  | { readonly kind: "session"; readonly id: string }
  | { readonly kind: "result"; readonly result: AgentResult };

/** Why there is no answer, as the lines of a stream report it. */
export interface ApiFailureLine {
  /** The class that StopFailure reports. */
  readonly error: string;
  readonly status?: number;
  /** The error type that the API sent. */
  readonly type?: string;
}

/** Which run of which hook. */
interface HookRunNames {
  readonly event: string;
  readonly hookName: string;
  readonly runId: string;
}

/** A subagent, as the lines of a stream identify it. */
export interface TaskIdentity {
  readonly id: string;
  readonly type: string;
  readonly description: string;
}

/** A step in the life of a subagent. */
export type TaskStep =
  | { readonly is: "started"; readonly prompt: string; readonly background: boolean; readonly depth: number }
  | { readonly is: "progress"; readonly tool: string; readonly about: string; readonly usage: TaskUsage }
  | {
      readonly is: "ended";
      readonly status: string;
      readonly summary: string;
      readonly file: string;
      readonly usage: TaskUsage;
    };

/** What a subagent has used so far. */
export interface TaskUsage {
  readonly tokens: number;
  readonly toolUses: number;
  readonly durationMs: number;
}

/** An MCP server and its status. */
export interface McpState {
  readonly name: string;
  readonly status: string;
}

export type NoticeLevel = "info" | "warning" | "error";
