import { wrapContext } from "../../engine/index.ts";
import { type HomeSource, openState, writePrivate } from "../../files/index.ts";
import type { Tokens } from "../../sessions/index.ts";
import type { SessionResult } from "./session-result.ts";

/** Forms in which another session's answer goes on: to a person, a program, a model, or a hook's host. */
export type Reinjection = "text" | "json" | "tool-result" | "context";

/** The answer and one line about where it came from. */
export function asText(result: SessionResult): string {
  return `${wordsOf(result)}\n\n${originOf(result)}\n`;
}

/** The result object of an agent's headless run, with what only we know under `hookline`. */
export function asResultObject(result: SessionResult): object {
  const { answer, sessionId, turns, durationMs, costUsd, usage, usageByModel, denials, ended, error, ...more } = result;
  return {
    type: "result",
    subtype: ended === "answered" ? "success" : ended === "limit" ? "error_max" : "error_during_execution",
    is_error: ended !== "answered",
    result: answer,
    session_id: sessionId,
    num_turns: turns,
    duration_ms: durationMs,
    total_cost_usd: costUsd,
    usage: wireTokens(usage),
    modelUsage: Object.fromEntries(Object.entries(usageByModel).map(([model, one]) => [model, wireTokens(one)])),
    permission_denials: denials.map(({ tool, toolUseId, input }) => ({
      tool_name: tool,
      tool_use_id: toolUseId,
      tool_input: input,
    })),
    hookline: { ended, ...(error === undefined ? {} : { error }), ...more, ...waysOn(sessionId) },
  };
}

/** A content block that answers a tool call; without an id the caller fills it in. */
export function asToolResult(result: SessionResult, toolUseId = ""): object {
  return {
    type: "tool_result",
    tool_use_id: toolUseId,
    is_error: result.ended !== "answered",
    content: [{ type: "text", text: `${wordsOf(result)}\n\n${originOf(result)}` }],
  };
}

/**
 * A hook's answer that adds the text to the conversation, framed as what another session said, so that nothing in it reads as the
 * person's own words. What is over 10,000 characters goes whole into a file that the text names.
 */
export async function asContext(result: SessionResult, event: string, source: HomeSource): Promise<object> {
  const words = wordsOf(result);
  const file = words.length > mostCharacters ? await spill(words, source) : undefined;
  const more = file === undefined ? "" : `\nThe whole text is in ${file}`;
  const additionalContext = `Output of another agent session. ${originOf(result)}${more}\n${wrapContext(words, "session-output")}`;
  return { hookSpecificOutput: { hookEventName: event, additionalContext } };
}

const mostCharacters = 10_000;

async function spill(text: string, source: HomeSource): Promise<string> {
  const folder = await openState(["answers"], source);
  return writePrivate(folder, text, { prefix: "answer-", suffix: ".txt" });
}

function wordsOf({ answer, error, ended }: SessionResult): string {
  if (ended === "answered") return answer;
  const why = `[${ended}] ${error ?? "it did not end by itself"}`;
  return answer === "" ? why : `${answer}\n\n${why}`;
}

function originOf({ sessionId, usage, costUsd, unpriced, ended, transcriptPath }: SessionResult): string {
  const tokens = usage.input + usage.output + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;
  // An agent that could not be started has an id all the same, which nobody can go on with.
  const begun = ended !== "error" || tokens > 0 || transcriptPath !== undefined;
  if (sessionId === "" || !begun) return "No session was begun.";
  const cost = `$${costUsd.toFixed(4)}`;
  const whole = unpriced.length === 0 ? cost : `at least ${cost} (no price for ${unpriced.join(", ")})`;
  const { resume, fork } = waysOn(sessionId);
  return `Session ${sessionId}, ${tokens} tokens, ${whole}. Go on: ${resume} (or beside it: ${fork})`;
}

function waysOn(sessionId: string): { resume: string; fork: string } {
  const resume = `hookline ask --resume ${sessionId} "…"`;
  return { resume, fork: `hookline ask --resume ${sessionId} --fork "…"` };
}

function wireTokens({ input, output, cacheRead, cacheWrite5m, cacheWrite1h }: Tokens): object {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
    cache_creation: { ephemeral_5m_input_tokens: cacheWrite5m, ephemeral_1h_input_tokens: cacheWrite1h },
  };
}
