import { randomUUID } from "node:crypto";
import { type HomeSource, openState, writePrivate } from "../files/internal.ts";
import { type AgentResult, defined } from "../protocol/internal.ts";
import { type Tokens, totalTokens } from "../sessions/internal.ts";
import type { SessionResult } from "./session-result.ts";

/** The forms of a session's answer: for a user, a program, a model, or the host of a hook. */
export type ResultForm = "text" | "json" | "tool-result" | "context";

/** The answer and one line about where it came from. */
export function asText(result: SessionResult): string {
  return `${wordsOf(result)}\n\n${originOf(result)}\n`;
}

/** A content block that answers a tool call; without an id the caller fills it in. */
export function asToolResult(result: SessionResult, toolUseId?: string): object {
  return {
    type: "tool_result",
    ...defined({ tool_use_id: toolUseId }),
    is_error: result.ended !== "answered",
    content: [{ type: "text", text: `${wordsOf(result)}\n\n${originOf(result)}` }],
  };
}

/**
 * A hook's answer that adds the text to the conversation, framed as the output of another session, so that nothing in it reads as the
 * user's own text. An answer over 10,000 characters is saved to a file that the text names.
 */
export async function asContext(result: SessionResult, event: string, source: HomeSource): Promise<object> {
  const { wrapContext } = await import("../engine/internal.ts");
  const words = wordsOf(result);
  let more = "";
  if (words.length > maxCharacters) {
    const folder = await openState(["answers"], source);
    more = `\nThe whole text is in ${await writePrivate(folder, words, { prefix: "answer-", suffix: ".txt" })}`;
  }
  const additionalContext = `Output of another agent session. ${originOf(result)}${more}\n${wrapContext(words, "session-output")}`;
  return { hookSpecificOutput: { hookEventName: event, additionalContext } };
}

const maxCharacters = 10_000;

function wordsOf({ answer, error, ended }: SessionResult): string {
  if (ended === "answered") return answer;
  const why = `[${ended}] ${error ?? "it did not finish"}`;
  return answer === "" || answer === error ? why : `${answer}\n\n${why}`;
}

function originOf(result: SessionResult): string {
  const { sessionId, usage, costUsd, agentReportedCostUsd, unpriced, resumeCommands } = result;
  if (resumeCommands === undefined) return "No session was started.";
  const ways = `Continue: ${resumeCommands.resume} (or in a copy: ${resumeCommands.fork})`;
  if (usage === null || costUsd === null) {
    const cost =
      agentReportedCostUsd === undefined ? "unknown" : `$${agentReportedCostUsd.toFixed(4)} by its own count`;
    return `Session ${sessionId}, tokens unknown, cost ${cost}. ${ways}`;
  }
  const cost = `$${costUsd.toFixed(4)}`;
  const whole = unpriced.length === 0 ? cost : `at least ${cost} (no price for ${unpriced.join(", ")})`;
  return `Session ${sessionId}, ${totalTokens(usage)} tokens, ${whole}. ${ways}`;
}

/**
 * A session's result as `agent --output-format json` prints one, with what only the runner knows under `hookline`. Tokens and cost are
 * counted from the transcript and are null when there is none; what only the agent can know is taken from its own result line.
 */
type SessionResultObject = Omit<AgentResult, MaybeUnknown> & {
  readonly [Name in MaybeUnknown]: AgentResult[Name] | null;
} & { readonly hookline: Readonly<Record<string, unknown>> };

type MaybeUnknown = "usage" | "total_cost_usd" | "duration_api_ms" | "terminal_reason";

export function asResultObject(result: SessionResult): SessionResultObject {
  const { answer, sessionId, turns, durationMs, denials, ended, error, resumeCommands, ...rest } = result;
  const { costUsd, usage, usageByModel, costByModel, unpriced, agentResult = {}, ...more } = rest;
  const errors = ended === "answered" ? undefined : errorsOf(agentResult["errors"], error);
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
      Object.entries(usageByModel).map(([model, tokens]) => [model, modelSpending(tokens, costByModel[model] ?? null)]),
    ),
    unpriced_models: unpriced,
    permission_denials: denials.map(({ tool, toolUseId, input }) => ({
      tool_name: tool,
      tool_use_id: toolUseId,
      tool_input: input as AgentResult["permission_denials"][number]["tool_input"],
    })),
    terminal_reason: textOr(agentResult["terminal_reason"]),
    ...defined({ errors }),
    uuid: textOr(agentResult["uuid"]) ?? randomUUID(),
    hookline: { ended, ...defined({ error }), ...more, ...resumeCommands },
  };
}

function subtypeOf(ended: SessionResult["ended"], own: unknown): AgentResult["subtype"] {
  if (ended === "answered") return "success";
  return own === "error_max_turns" || own === "error_max_budget_usd" ? own : "error_during_execution";
}

function errorsOf(own: unknown, error: string | undefined): readonly string[] | undefined {
  if (Array.isArray(own) && own.length > 0) return own.map(String);
  return error === undefined ? undefined : [error];
}

function numberOr(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

function textOr(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function modelSpending(tokens: Tokens, costUSD: number | null): AgentResult["modelUsage"][string] {
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
