import { randomUUID } from "node:crypto";
import type { Tokens } from "../../sessions/index.ts";
import type { AgentResult } from "../result.ts";
import type { SessionResult } from "./session-result.ts";

/**
 * A session's result as `agent --output-format json` prints one, with what only the runner knows under `hookline`. Tokens and cost are
 * counted from the transcript and are null when there is none; what only the agent can know is taken from its own result line.
 */
export interface SessionResultObject extends Omit<AgentResult, Nullable> {
  readonly usage: AgentResult["usage"] | null;
  readonly total_cost_usd: number | null;
  readonly duration_api_ms: number | null;
  readonly terminal_reason: string | null;
  readonly hookline: Readonly<Record<string, unknown>>;
}

type Nullable = "usage" | "total_cost_usd" | "duration_api_ms" | "terminal_reason";

export function asResultObject(result: SessionResult): SessionResultObject {
  const { answer, sessionId, turns, durationMs, denials, ended, error, goOn, ...rest } = result;
  const { costUsd, usage, usageByModel, costByModel, unpriced, agentResult = {}, ...more } = rest;
  const errors = ended === "answered" ? [] : errorsOf(agentResult["errors"], error);
  return {
    type: "result",
    subtype: subtypeOf(ended, agentResult["subtype"]),
    is_error: ended !== "answered",
    api_error_status: numberOr(agentResult["api_error_status"]),
    duration_ms: durationMs,
    duration_api_ms: numberOr(agentResult["duration_api_ms"]),
    num_turns: turns,
    result: answer,
    stop_reason: textOr(agentResult["stop_reason"]),
    session_id: sessionId,
    total_cost_usd: costUsd,
    usage: usage === null ? null : wireTokens(usage),
    modelUsage: Object.fromEntries(
      Object.entries(usageByModel).map(([model, tokens]) => [model, spelled(tokens, costByModel[model] ?? null)]),
    ),
    unpriced_models: unpriced,
    permission_denials: denials.map(({ tool, toolUseId, input }) => ({
      tool_name: tool,
      tool_use_id: toolUseId,
      tool_input: input as AgentResult["permission_denials"][number]["tool_input"],
    })),
    terminal_reason: textOr(agentResult["terminal_reason"]),
    ...(errors.length === 0 ? {} : { errors }),
    uuid: textOr(agentResult["uuid"]) ?? randomUUID(),
    hookline: { ended, ...(error === undefined ? {} : { error }), ...more, ...goOn },
  };
}

function subtypeOf(ended: SessionResult["ended"], own: unknown): AgentResult["subtype"] {
  if (ended === "answered") return "success";
  return own === "error_max_turns" || own === "error_max_budget_usd" ? own : "error_during_execution";
}

function errorsOf(own: unknown, error: string | undefined): readonly string[] {
  if (Array.isArray(own) && own.length > 0) return own.map(String);
  return error === undefined ? [] : [error];
}

function numberOr(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

function textOr(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function spelled(tokens: Tokens, costUSD: number | null): AgentResult["modelUsage"][string] {
  const { input, output, cacheRead, cacheWrite5m, cacheWrite1h, webSearches } = tokens;
  return {
    inputTokens: input,
    outputTokens: output,
    cacheReadInputTokens: cacheRead,
    cacheCreationInputTokens: cacheWrite5m + cacheWrite1h,
    webSearchRequests: webSearches,
    costUSD,
  };
}

function wireTokens({ input, output, cacheRead, cacheWrite5m, cacheWrite1h }: Tokens): AgentResult["usage"] {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
    cache_creation: { ephemeral_5m_input_tokens: cacheWrite5m, ephemeral_1h_input_tokens: cacheWrite1h },
  };
}
