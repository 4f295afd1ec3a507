import type { ToolUseBlock } from "../models/index.ts";
import { usageOf } from "./journal.ts";
import type { TurnEnd } from "./loop.ts";
import type { AgentOptions } from "./options.ts";
import type { Denial } from "./permissions.ts";
import type { AgentSession } from "./session.ts";
import type { ModelSpending } from "./spending.ts";

/** How a run ended, as `--output-format json` prints it. */
export interface AgentResult {
  readonly type: "result";
  readonly subtype: "success" | "error_max_turns" | "error_max_budget_usd" | "error_during_execution";
  readonly is_error: boolean;
  readonly api_error_status: number | null;
  /** The API's own word for its error; absent when it answered. */
  readonly api_error_type?: string;
  readonly duration_ms: number;
  readonly duration_api_ms: number;
  readonly num_turns: number;
  readonly result: string;
  readonly stop_reason: string | null;
  readonly session_id: string;
  readonly total_cost_usd: number;
  /** Of the main thread; agents, hooks and compaction are in `modelUsage`. */
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
  readonly deferred_tool_use?: Pick<ToolUseBlock, "id" | "name" | "input">;
  /** Why a limit or an interrupt ended it, a sentence each; absent otherwise. An API error is in `result`. */
  readonly errors?: readonly string[];
  /** Why a hook ended it. */
  readonly hook_reason?: string;
  readonly uuid: string;
}

export interface TurnFigures {
  readonly startedAt: number;
  readonly turns: number;
}

export function resultOf(session: AgentSession, end: TurnEnd, { startedAt, turns }: TurnFigures): AgentResult {
  const { options, spending, record, permissions } = session;
  return {
    type: "result",
    subtype: subtypeOf(end),
    is_error: isError(end),
    api_error_status: end.by === "api_error" ? (end.status ?? null) : null,
    ...(end.by === "api_error" && end.type !== undefined ? { api_error_type: end.type } : {}),
    duration_ms: Math.round(options.clock.now() - startedAt),
    duration_api_ms: spending.apiMs,
    num_turns: turns,
    result: end.text,
    stop_reason: stopReasonOf(end),
    session_id: record.id,
    total_cost_usd: spending.costUsd,
    usage: usageOf(spending.turn),
    modelUsage: spending.byModel,
    unpriced_models: spending.unpriced,
    permission_denials: [...permissions.denials],
    terminal_reason: end.by === "max_budget_usd" ? "budget_exhausted" : end.by,
    ...(isError(end) ? {} : session.timing.since(startedAt)),
    ...(end.by === "tool_deferred" ? { deferred_tool_use: nameOf(end.call) } : {}),
    ...(subtypeOf(end) !== "success" ? { errors: [errorOf(end, options)] } : {}),
    ...("reason" in end && end.reason !== "" ? { hook_reason: end.reason } : {}),
    uuid: options.uuid(),
  };
}

function isError({ by }: TurnEnd): boolean {
  return by === "api_error" || by === "max_turns" || by === "max_budget_usd" || by === "interrupted";
}

function errorOf({ by }: TurnEnd, { maxTurns, maxBudgetUsd }: AgentOptions): string {
  if (by === "max_turns") return `Reached maximum number of turns (${maxTurns})`;
  return by === "max_budget_usd" ? `Reached maximum budget ($${maxBudgetUsd})` : "Interrupted by the user";
}

function subtypeOf({ by }: TurnEnd): AgentResult["subtype"] {
  if (by === "max_turns" || by === "max_budget_usd") return `error_${by}`;
  return by === "interrupted" ? "error_during_execution" : "success";
}

function stopReasonOf(end: TurnEnd): string | null {
  if (end.by === "completed") return end.stopReason;
  if (end.by === "tool_deferred") return end.by;
  if (end.by === "max_turns" || end.by === "max_budget_usd") return end.stopReason;
  if (end.by === "hook_stopped") return "tool_use";
  if (end.by === "interrupted" || end.by === "prompt_blocked") return null;
  return end.by === "api_error" ? "stop_sequence" : "end_turn";
}

function nameOf({ id, name, input }: ToolUseBlock): Pick<ToolUseBlock, "id" | "name" | "input"> {
  return { id, name, input };
}
