import { fieldOf } from "../../protocol/internal.ts";

/** Tokens by class. `thinking` is a part of `output`. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly thinking: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
  readonly webSearches: number;
}

/** The usage of a call: its own tokens, and those of other models that it used. */
export interface TokenUsage {
  readonly tokens: Tokens;
  /** Iterations that `tokens` does not include, each with its own model. */
  readonly parts: readonly TokenPart[];
  /** Cache writes without a recorded lifetime, counted as five minutes. */
  readonly assumed5m: number;
  /** Names of invalid counts (negative, fractional, too large, not a number), which are read as 0. */
  readonly odd: readonly string[];
}

export interface TokenPart {
  readonly type: string;
  /** Absent when the iteration has no model of its own: then it is the call's model. */
  readonly model?: string;
  readonly tokens: Tokens;
}

export const noTokens: Tokens = {
  input: 0,
  output: 0,
  thinking: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  cacheRead: 0,
  webSearches: 0,
};

/** Contract: never throws. Missing and invalid counts are read as 0. */
export function readTokens(usage: Readonly<Record<string, unknown>> | undefined): TokenUsage {
  if (usage === undefined) return { tokens: noTokens, parts: [], assumed5m: 0, odd: [] };
  const odd: string[] = [];
  const { tokens, assumed5m } = countsOf(usage, odd);
  return { tokens, assumed5m, odd, parts: partsOf(usage["iterations"], odd) };
}

export function addTokens(a: Tokens, b: Tokens): Tokens {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    thinking: a.thinking + b.thinking,
    cacheWrite5m: a.cacheWrite5m + b.cacheWrite5m,
    cacheWrite1h: a.cacheWrite1h + b.cacheWrite1h,
    cacheRead: a.cacheRead + b.cacheRead,
    webSearches: a.webSearches + b.webSearches,
  };
}

function countsOf(usage: Readonly<Record<string, unknown>>, odd: string[]): { tokens: Tokens; assumed5m: number } {
  const count = (from: unknown, name: string): number => {
    const value = from === undefined || from === null ? 0 : from;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
    odd.push(name);
    return 0;
  };
  const cache = usage["cache_creation"];
  const written5m = count(fieldOf(cache, "ephemeral_5m_input_tokens"), "cache_creation.ephemeral_5m_input_tokens");
  const written1h = count(fieldOf(cache, "ephemeral_1h_input_tokens"), "cache_creation.ephemeral_1h_input_tokens");
  const written = count(usage["cache_creation_input_tokens"], "cache_creation_input_tokens");
  const assumed5m = Math.max(0, written - written5m - written1h);
  const server = usage["server_tool_use"];
  const details = usage["output_tokens_details"];
  return {
    assumed5m,
    tokens: {
      input: count(usage["input_tokens"], "input_tokens"),
      output: count(usage["output_tokens"], "output_tokens"),
      thinking: count(fieldOf(details, "thinking_tokens"), "output_tokens_details.thinking_tokens"),
      cacheWrite5m: written5m + assumed5m,
      cacheWrite1h: written1h,
      cacheRead: count(usage["cache_read_input_tokens"], "cache_read_input_tokens"),
      webSearches: count(fieldOf(server, "web_search_requests"), "server_tool_use.web_search_requests"),
    },
  };
}

/** The counts of the call include its `message` iterations; all others are added to them. */
function partsOf(iterations: unknown, odd: string[]): TokenPart[] {
  if (!Array.isArray(iterations)) return [];
  return iterations.flatMap((iteration: unknown) => {
    if (typeof iteration !== "object" || iteration === null) return [];
    const { type, model } = iteration as Record<string, unknown>;
    if (typeof type !== "string" || type === "message") return [];
    const { tokens } = countsOf(iteration as Record<string, unknown>, odd);
    return [{ type, tokens, ...(typeof model === "string" ? { model } : {}) }];
  });
}
