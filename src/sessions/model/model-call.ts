import { fieldOf, groupBy, lazy, type ModelUsage } from "../../protocol/internal.ts";
import type { EntryBlock } from "./content-block.ts";
import type { AssistantEntry, Entry } from "./entry.ts";

/** One answer of a model. It may be written as several lines. */
export interface ModelCall {
  /** `message.id`; if that is missing, the request id; else the uuid of the line. */
  readonly key: string;
  readonly messageId: string | undefined;
  readonly requestId: string | undefined;
  readonly model: string | undefined;
  /** All blocks, in the order of the answer. */
  readonly content: readonly EntryBlock[];
  readonly lines: readonly AssistantEntry[];
  /** The line whose usage counts. */
  readonly counted: AssistantEntry;
  /** The last stop reason that is not null. */
  readonly stopReason: string | null;
  readonly timestamp: string | undefined;
  readonly lastTimestamp: string | undefined;
  /** Input or cache counts differ between the lines. All counts are taken from `counted`. */
  readonly conflict: boolean;
  usage(): TokenUsage;
}

/**
 * Groups answers into calls, in the order of their first lines, without `<synthetic>` answers (`isModelCall`). `superseded` is true for
 * lines that were written again under the same uuid: their blocks are left out, their usage still counts.
 */
export function modelCallsOf(
  entries: readonly Entry[],
  superseded: (entry: Entry) => boolean = () => false,
): ModelCall[] {
  const answers = entries.filter((entry) => entry.kind === "assistant" && isModelCall(entry)) as AssistantEntry[];
  return [...groupBy(answers, callKey)].flatMap(([key, lines]) =>
    splitByRequest(lines).map((callLines) => toCall(key, callLines, superseded)),
  );
}

/** False for answers that Claude Code itself wrote. */
export function isModelCall(answer: AssistantEntry): boolean {
  return answer.model !== "<synthetic>";
}

/** True for an answer that Claude Code wrote as a placeholder, such as the end of an unanswered turn. Errors are not placeholders. */
export function isClaudeCodeFiller(answer: AssistantEntry): boolean {
  return !isModelCall(answer) && answer.isApiErrorMessage !== true;
}

export function callKey(answer: AssistantEntry): string {
  return answer.messageId || answer.requestId || answer.uuid;
}

/**
 * Lines with one id are one call, unless counts and request ids both differ: then the endpoint used the id twice. The rules from here to
 * `isBetter` are also those of `usage/calls/resolve-calls.ts`, on columns for speed; counting.test.ts compares both.
 */
function splitByRequest(lines: AssistantEntry[]): AssistantEntry[][] {
  if (lines.length === 1 || haveSameUsage(lines) || !haveConflictingCounts(lines)) return [lines];
  return [...groupBy(lines, (line) => line.requestId ?? "").values()];
}

const counts = ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"] as const;

/** Usually all lines of an answer have the same usage, and no line has to be chosen. */
function haveSameUsage(lines: readonly AssistantEntry[]): boolean {
  const first = lines[0]?.usage;
  if (first === undefined) return false;
  const searches = searchesIn(first);
  return lines.every(
    ({ usage }) =>
      usage !== undefined && counts.every((name) => usage[name] === first[name]) && searchesIn(usage) === searches,
  );
}

function searchesIn({ server_tool_use: server }: Readonly<Record<string, unknown>>): unknown {
  return fieldOf(server, "web_search_requests") ?? 0;
}

/** True when lines have different input or cache counts. A count of 0 does not conflict. */
function haveConflictingCounts(lines: readonly AssistantEntry[]): boolean {
  return (["input", "cacheRead", "cacheWrite5m", "cacheWrite1h"] as const).some((name) => {
    const values = new Set(lines.map((line) => tokensOf(line)[name]).filter((value) => value !== 0));
    return values.size > 1;
  });
}

function toCall(key: string, all: readonly AssistantEntry[], superseded: (entry: Entry) => boolean): ModelCall {
  const kept = all.filter((line) => !superseded(line));
  const lines = kept.length > 0 ? kept : all;
  const first = lines[0] as AssistantEntry;
  const isSame = all.length === 1 || haveSameUsage(all);
  const counted = all.reduce((best, line) => (isBetter(line, best, isSame) ? line : best));
  return {
    key,
    messageId: first.messageId,
    requestId: first.requestId,
    model: first.model,
    content: lines.length === 1 ? first.content : inAnswerOrder(lines).flatMap((line) => line.content),
    lines,
    counted,
    stopReason: lines.findLast((line) => line.stopReason !== null)?.stopReason ?? null,
    timestamp: first.timestamp,
    lastTimestamp: lines.findLast((line) => line.timestamp !== undefined)?.timestamp,
    conflict: !isSame && haveConflictingCounts(all),
    usage: lazy(() => readTokens(counted.usage)),
  };
}

/** Prefers a line with a stop reason, then the larger output, then the larger sum, then the earlier line. */
function isBetter(line: AssistantEntry, best: AssistantEntry, isSameUsage: boolean): boolean {
  const hasStop = line.stopReason !== null;
  if (hasStop !== (best.stopReason !== null)) return hasStop;
  if (isSameUsage) return false;
  const a = tokensOf(line);
  const b = tokensOf(best);
  const sumOf = (tokens: Tokens) => totalTokens(tokens) + tokens.webSearches;
  return a.output === b.output ? sumOf(a) > sumOf(b) : a.output > b.output;
}

function tokensOf(line: AssistantEntry): Tokens {
  return readTokens(line.usage).tokens;
}

/** All tokens, of every class. */
export function totalTokens({ input, output, cacheRead, cacheWrite5m, cacheWrite1h }: ModelUsage): number {
  return input + output + cacheRead + cacheWrite5m + cacheWrite1h;
}

function inAnswerOrder(lines: readonly AssistantEntry[]): readonly AssistantEntry[] {
  if (lines.some((line) => line.apiBlockIndex === undefined)) return lines;
  return lines.toSorted((a, b) => (a.apiBlockIndex ?? 0) - (b.apiBlockIndex ?? 0));
}

/** Tokens by class. `thinking` is a part of `output`. */
export interface Tokens extends ModelUsage {
  readonly thinking: number;
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

/** The tokens of one iteration of a model call that the call's own counts do not include. */
export interface TokenPart {
  readonly type: string;
  /** Absent when the iteration has no model of its own: then it is the call's model. */
  readonly model?: string;
  readonly tokens: Tokens;
}

/** The kinds of tokens, and web searches. The usage index keeps its figures in this order: a change needs a new version of the index. */
export const tokenNames = [
  "input",
  "output",
  "thinking",
  "cacheWrite5m",
  "cacheWrite1h",
  "cacheRead",
  "webSearches",
] as const;

function tokensBy(countOf: (name: keyof Tokens) => number): Tokens {
  return Object.fromEntries(tokenNames.map((name) => [name, countOf(name)])) as unknown as Tokens;
}

export const noTokens: Tokens = tokensBy(() => 0);

/** Contract: never throws. Missing and invalid counts are read as 0. */
export function readTokens(usage: Readonly<Record<string, unknown>> | undefined): TokenUsage {
  if (usage === undefined) return { tokens: noTokens, parts: [], assumed5m: 0, odd: [] };
  const odd: string[] = [];
  const { tokens, assumed5m } = countsOf(usage, odd);
  return { tokens, assumed5m, odd, parts: partsOf(usage["iterations"], odd) };
}

export function addTokens(a: Tokens, b: Tokens): Tokens {
  return tokensBy((name) => a[name] + b[name]);
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
