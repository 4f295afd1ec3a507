import type { ToolUseBlock } from "../../models/internal.ts";
import type { AgentResult } from "../../protocol/internal.ts";
import type { ApiFailureLine } from "../agent-event.ts";
import type { AgentOptions } from "../agent-options.ts";
import type { AgentSession } from "./agent-session.ts";
import { apiUsage } from "./journal.ts";

/** How a turn ended. `text` is shown to the user. */
export type TurnResult =
  | { readonly by: "completed"; readonly text: string; readonly stopReason: string }
  /** A hook ended the turn before or after a tool call. */
  | { readonly by: "hook_stopped"; readonly text: ""; readonly reason: string }
  /** A Stop hook returned `continue: false`, or Stop hooks refused the end more often than the cap allows. */
  | { readonly by: "stop_hook_prevented" | "stop_hook_cap"; readonly text: string; readonly reason: string }
  | { readonly by: "tool_deferred"; readonly text: ""; readonly call: ToolUseBlock }
  | { readonly by: "interrupted" | "prompt_blocked"; readonly text: string }
  | ({ readonly by: "api_error"; readonly text: string } & ApiFailureLine)
  | { readonly by: "max_turns" | "max_budget_usd"; readonly text: string; readonly stopReason: string };

export function resultObjectOf(
  session: AgentSession,
  end: TurnResult,
  { startedAt, turns }: { readonly startedAt: number; readonly turns: number },
): AgentResult {
  const { options, spending, record, permissions } = session;
  const { subtype, isError = false, stopReason = null } = endings[end.by];
  return {
    type: "result",
    subtype,
    is_error: isError,
    api_error_status: end.by === "api_error" ? (end.status ?? null) : null,
    ...(end.by === "api_error" && end.type !== undefined ? { api_error_type: end.type } : {}),
    duration_ms: Math.round(options.clock.now() - startedAt),
    duration_api_ms: spending.apiMs,
    num_turns: turns,
    result: end.text,
    stop_reason: "stopReason" in end ? end.stopReason : stopReason,
    session_id: record.id,
    total_cost_usd: spending.costUsd,
    usage: apiUsage(spending.turn),
    modelUsage: spending.byModel,
    unpriced_models: spending.unpriced,
    permission_denials: [...permissions.denials],
    terminal_reason: end.by === "max_budget_usd" ? "budget_exhausted" : end.by,
    ...(isError ? {} : spending.momentsSince(startedAt)),
    ...(end.by === "tool_deferred" ? { deferred_tool_use: withoutType(end.call) } : {}),
    ...(subtype !== "success" ? { errors: [errorOf(end, options)] } : {}),
    ...("reason" in end && end.reason !== "" ? { hook_reason: end.reason } : {}),
    uuid: options.uuid(),
  };
}

/** The fields of a result by how its turn ended. The stop reason of an answer, where there is one, is used as it is. */
const endings: Readonly<Record<TurnResult["by"], Ending>> = {
  completed: { subtype: "success" },
  hook_stopped: { subtype: "success", stopReason: "tool_use" },
  stop_hook_prevented: { subtype: "success", stopReason: "end_turn" },
  stop_hook_cap: { subtype: "success", stopReason: "end_turn" },
  tool_deferred: { subtype: "success", stopReason: "tool_deferred" },
  prompt_blocked: { subtype: "success" },
  api_error: { subtype: "success", isError: true, stopReason: "stop_sequence" },
  interrupted: { subtype: "error_during_execution", isError: true },
  max_turns: { subtype: "error_max_turns", isError: true },
  max_budget_usd: { subtype: "error_max_budget_usd", isError: true },
};

interface Ending {
  readonly subtype: AgentResult["subtype"];
  readonly isError?: true;
  readonly stopReason?: string;
}

function errorOf({ by }: TurnResult, { maxTurns, maxBudgetUsd }: AgentOptions): string {
  if (by === "max_turns") return `Reached maximum number of turns (${maxTurns})`;
  return by === "max_budget_usd" ? `Reached maximum budget ($${maxBudgetUsd})` : "Interrupted by the user";
}

function withoutType({ type: _, ...call }: ToolUseBlock): Omit<ToolUseBlock, "type"> {
  return call;
}
