import type { ToolUseBlock } from "../../models/internal.ts";
import type { AgentResult } from "../../protocol/internal.ts";
import type { AgentOptions } from "../agent-options.ts";
import type { TurnResult } from "../turn/loop.ts";
import type { AgentSession } from "./agent-session.ts";
import { apiUsage } from "./journal.ts";

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
    ...(isError ? {} : session.timing.since(startedAt)),
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

/** When the first model call of a turn was sent and answered. */
export interface Timing {
  /** Records the first occurrence of a moment since `mark`. */
  at(moment: Moment): void;
  /** Starts a new turn. */
  mark(): void;
  /** The recorded moments in milliseconds after `startedAt`, under the names of the result object. */
  since(startedAt: number): Readonly<Partial<Record<(typeof resultNames)[Moment][number], number>>>;
}

type Moment = "requested" | "answering" | "speaking";

export function openTiming(now: () => number): Timing {
  const moments = new Map<Moment, number>();
  return {
    at(moment) {
      if (!moments.has(moment)) moments.set(moment, now());
    },
    mark() {
      moments.clear();
    },
    since(startedAt) {
      const all = [...moments].flatMap(([moment, at]) =>
        resultNames[moment].map((name) => [name, Math.max(0, Math.round(at - startedAt))]),
      );
      return Object.fromEntries(all);
    },
  };
}

const resultNames = {
  requested: ["time_to_request_ms"],
  answering: ["ttft_stream_ms"],
  speaking: ["ttft_ms", "first_content_frame_ms"],
} as const;

/**
 * A result as it is printed, with the client's fields: a run that a limit or an interrupt ended has `errors` instead of an answer,
 * and a prompt that a hook dropped has no API status.
 */
export function printedResult(given: AgentResult): Readonly<Record<string, unknown>> {
  const { result, api_error_status, ...printed } = given;
  if (given.subtype !== "success") return printed;
  return { ...printed, result, ...(given.terminal_reason === "prompt_blocked" ? {} : { api_error_status }) };
}
