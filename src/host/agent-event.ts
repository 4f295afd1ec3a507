import type { RunStep } from "../engine/index.ts";
import type { ContentBlock, ModelEnd, ModelEvent, ModelRetry } from "../models/index.ts";
import type { Outcome, Warning } from "../protocol/index.ts";
import type { AgentResult } from "./result.ts";

/** What happens in a run, as it happens: for screens, protocols and whoever watches. Nobody who hears it can change it. */
export type AgentEvent =
  | {
      readonly kind: "init";
      readonly tools: readonly string[];
      readonly model: string;
      readonly mcpServers: readonly McpState[];
      readonly agents: readonly string[];
      readonly commands: readonly string[];
      readonly skills: readonly string[];
    }
  /** A block of an answer is in the transcript. */
  | {
      readonly kind: "assistant";
      readonly answer: ModelEnd;
      readonly block: ContentBlock;
      readonly uuid: string;
      readonly agent?: string;
      readonly parentToolUseId: string | null;
    }
  | {
      readonly kind: "user";
      readonly content: string | readonly ContentBlock[];
      readonly uuid: string;
      readonly toolUseResult?: unknown;
      readonly parentToolUseId: string | null;
    }
  /** A delta of an answer of the main thread, as the port gave it. */
  | { readonly kind: "partial"; readonly event: ModelEvent }
  /** Whole lines of text, as hooks let them be shown. */
  | { readonly kind: "display"; readonly text: string; readonly final: boolean }
  | {
      readonly kind: "hook";
      readonly step: RunStep;
      readonly event: string;
      readonly hookName: string;
      readonly runId: string;
    }
  /** What a hook that still runs has printed so far; `runId` is that of its steps. */
  | {
      readonly kind: "hook-progress";
      readonly event: string;
      readonly hookName: string;
      readonly runId: string;
      readonly stdout: string;
      readonly stderr: string;
    }
  | { readonly kind: "outcome"; readonly outcome: Outcome; readonly hookName: string; readonly agent?: string }
  | { readonly kind: "warning"; readonly warning: Warning }
  /** A sentence for the person. */
  | { readonly kind: "notice"; readonly text: string; readonly level: "info" | "warning" | "error" }
  | { readonly kind: "retry"; readonly retry: ModelRetry }
  | { readonly kind: "compacted"; readonly trigger: string; readonly preTokens: number; readonly postTokens: number }
  | { readonly kind: "session"; readonly id: string }
  | { readonly kind: "result"; readonly result: AgentResult };

export interface McpState {
  readonly name: string;
  readonly status: string;
}
