import type { ToolInput } from "./hook-output.ts";

/** How a run ended, as `--output-format json` prints it. */
export interface AgentResult {
  readonly type: "result";
  readonly subtype: "success" | "error_max_turns" | "error_max_budget_usd" | "error_during_execution";
  readonly is_error: boolean;
  readonly api_error_status: number | null;
  /** The API's error type; absent when it answered. */
  readonly api_error_type?: string;
  readonly duration_ms: number;
  readonly duration_api_ms: number;
  readonly num_turns: number;
  readonly result: string;
  readonly stop_reason: string | null;
  readonly session_id: string;
  readonly total_cost_usd: number;
  /** Usage of the main thread. Subagents, hooks and compaction are counted in `modelUsage`. */
  readonly usage: Readonly<Record<string, unknown>>;
  readonly modelUsage: Readonly<Record<string, ModelSpending>>;
  /** Models whose cost is not known, and so not in the total. */
  readonly unpriced_models: readonly string[];
  readonly permission_denials: readonly Denial[];
  readonly terminal_reason: string;
  /** From the beginning of the turn: when the model was asked, when its answer began, and when the first block of it began. */
  readonly time_to_request_ms?: number;
  readonly ttft_stream_ms?: number;
  readonly ttft_ms?: number;
  readonly first_content_frame_ms?: number;
  readonly deferred_tool_use?: { readonly id: string; readonly name: string; readonly input: ToolInput };
  /** Why a limit or an interrupt ended it, a sentence each; absent otherwise. An API error is in `result`. */
  readonly errors?: readonly string[];
  /** Why a hook ended it. */
  readonly hook_reason?: string;
  readonly uuid: string;
}

/** What one model used in a run. */
export interface ModelSpending {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheCreationInputTokens: number;
  readonly webSearchRequests: number;
  /** What the calls with a known price cost; null when none has one. */
  readonly costUSD: number | null;
  /** Tokens that a conversation with the model may hold; absent when the port does not say. */
  readonly contextWindow?: number;
  /** Tokens that one answer of a conversation may have; absent when an agent of another program was asked. */
  readonly maxOutputTokens?: number;
}

/** A refused call, as the result object lists it. */
export interface Denial {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: ToolInput;
}
