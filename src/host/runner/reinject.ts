import { wrapContext } from "../../engine/index.ts";
import { type HomeSource, openState, writePrivate } from "../../files/index.ts";
import type { SessionResult } from "./session-result.ts";

/** Forms in which another session's answer goes on: to a person, a program, a model, or a hook's host. */
export type Reinjection = "text" | "json" | "tool-result" | "context";

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
  return answer === "" || answer === error ? why : `${answer}\n\n${why}`;
}

function originOf({ sessionId, usage, costUsd, agentReportedCostUsd, unpriced, goOn }: SessionResult): string {
  if (goOn === undefined) return "No session was begun.";
  const ways = `Go on: ${goOn.resume} (or beside it: ${goOn.fork})`;
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
