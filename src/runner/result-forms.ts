import { randomUUID } from "node:crypto";
import { type HomeSource, openState, writePrivate } from "../files/internal.ts";
import type { AgentResult } from "../protocol/internal.ts";
import type { Tokens } from "../sessions/internal.ts";
import type { SessionResult } from "./session-result.ts";

/** Forms in which another session's answer goes on: to a person, a program, a model, or a hook's host. */
export type ResultForm = "text" | "json" | "tool-result" | "context";

/** The answer and one line about where it came from. */
export function asText(result: SessionResult): string {
  return `${wordsOf(result)}\n\n${originOf(result)}\n`;
}

/** A content block that answers a tool call; without an id the caller fills it in. */
export function asToolResult(result: SessionResult, toolUseId?: string): object {
  return {
    type: "tool_result",
    ...(toolUseId === undefined ? {} : { tool_use_id: toolUseId }),
    is_error: result.ended !== "answered",
    content: [{ type: "text", text: `${wordsOf(result)}\n\n${originOf(result)}` }],
  };
}

/**
 * A hook's answer that adds the text to the conversation, framed as the output of another session, so that nothing in it reads as the
 * user's own words. What is over 10,000 characters goes whole into a file that the text names.
 */
export async function asContext(result: SessionResult, event: string, source: HomeSource): Promise<object> {
  const { wrapContext } = await import("../engine/internal.ts");
  const words = wordsOf(result);
  const file = words.length > maxCharacters ? await spill(words, source) : undefined;
  const more = file === undefined ? "" : `\nThe whole text is in ${file}`;
  const additionalContext = `Output of another agent session. ${originOf(result)}${more}\n${wrapContext(words, "session-output")}`;
  return { hookSpecificOutput: { hookEventName: event, additionalContext } };
}

const maxCharacters = 10_000;

async function spill(text: string, source: HomeSource): Promise<string> {
  const folder = await openState(["answers"], source);
  return writePrivate(folder, text, { prefix: "answer-", suffix: ".txt" });
}

function wordsOf({ answer, error, ended }: SessionResult): string {
  if (ended === "answered") return answer;
  const why = `[${ended}] ${error ?? "it did not end by itself"}`;
  return answer === "" || answer === error ? why : `${answer}\n\n${why}`;
}

function originOf({
  sessionId,
  usage,
  costUsd,
  agentReportedCostUsd,
  unpriced,
  resumeCommands,
}: SessionResult): string {
  if (resumeCommands === undefined) return "No session was begun.";
  const ways = `Continue: ${resumeCommands.resume} (or in a copy: ${resumeCommands.fork})`;
  if (usage === null || costUsd === null) {
    const cost =
      agentReportedCostUsd === undefined ? "unknown" : `$${agentReportedCostUsd.toFixed(4)} by its own count`;
    return `Session ${sessionId}, tokens unknown, cost ${cost}. ${ways}`;
  }
  const tokens = usage.input + usage.output + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;
  const cost = `$${costUsd.toFixed(4)}`;
  const whole = unpriced.length === 0 ? cost : `at least ${cost} (no price for ${unpriced.join(", ")})`;
  return `Session ${sessionId}, ${tokens} tokens, ${whole}. ${ways}`;
}

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
  const { answer, sessionId, turns, durationMs, denials, ended, error, resumeCommands, ...rest } = result;
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
    hookline: { ended, ...(error === undefined ? {} : { error }), ...more, ...resumeCommands },
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
