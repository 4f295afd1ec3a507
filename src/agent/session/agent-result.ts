import type { ToolUseBlock } from "../../models/internal.ts";
import type { AgentResult } from "../../protocol/internal.ts";
import type { AgentOptions } from "../agent-options.ts";
import type { TurnResult } from "../turn/loop.ts";
import type { AgentSession } from "./agent-session.ts";
import { apiUsage } from "./journal.ts";

export interface TurnFigures {
  readonly startedAt: number;
  readonly turns: number;
}

export function resultObjectOf(session: AgentSession, end: TurnResult, { startedAt, turns }: TurnFigures): AgentResult {
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
    usage: apiUsage(spending.turn),
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

function isError({ by }: TurnResult): boolean {
  return by === "api_error" || by === "max_turns" || by === "max_budget_usd" || by === "interrupted";
}

function errorOf({ by }: TurnResult, { maxTurns, maxBudgetUsd }: AgentOptions): string {
  if (by === "max_turns") return `Reached maximum number of turns (${maxTurns})`;
  return by === "max_budget_usd" ? `Reached maximum budget ($${maxBudgetUsd})` : "Interrupted by the user";
}

function subtypeOf({ by }: TurnResult): AgentResult["subtype"] {
  if (by === "max_turns" || by === "max_budget_usd") return `error_${by}`;
  return by === "interrupted" ? "error_during_execution" : "success";
}

function stopReasonOf(end: TurnResult): string | null {
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

/** When the first model call of a turn was made and answered. */
export interface Timing {
  /** Something of a model call happened; only the first of each counts until `mark`. */
  at(moment: Moment): void;
  /** A new turn begins. */
  mark(): void;
  /** The moments in milliseconds since then, as the result object spells them; those that came. */
  since(startedAt: number): Readonly<Partial<Record<(typeof spelling)[Moment][number], number>>>;
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
        spelling[moment].map((name) => [name, Math.max(0, Math.round(at - startedAt))]),
      );
      return Object.fromEntries(all);
    },
  };
}

const spelling = {
  requested: ["time_to_request_ms"],
  answering: ["ttft_stream_ms"],
  speaking: ["ttft_ms", "first_content_frame_ms"],
} as const;

/**
 * A result as it is printed, with the client's fields: a run that a limit or an interrupt ended has `errors` in the place of an answer,
 * and a prompt that a hook dropped was not put to the API.
 */
export function printedResult(given: AgentResult): Readonly<Record<string, unknown>> {
  const { result, api_error_status, ...printed } = given;
  if (given.subtype !== "success") return printed;
  return { ...printed, result, ...(given.terminal_reason === "prompt_blocked" ? {} : { api_error_status }) };
}
