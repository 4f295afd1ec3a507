import { fieldOf, groupBy } from "../../protocol/internal.ts";
import type { EntryBlock } from "./content-block.ts";
import type { AssistantEntry, Entry } from "./entry.ts";
import { readTokens, type Tokens, type TokenUsage } from "./tokens.ts";

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

/** False for answers that the client itself wrote. */
export function isModelCall(answer: AssistantEntry): boolean {
  return answer.model !== "<synthetic>";
}

/** True for an answer that the client wrote as a placeholder, such as the end of an unanswered turn. Errors are not placeholders. */
export function isClientFiller(answer: AssistantEntry): boolean {
  return !isModelCall(answer) && answer.isApiErrorMessage !== true;
}

export function callKey(answer: AssistantEntry): string {
  return answer.messageId || answer.requestId || answer.uuid;
}

/** Lines with one id are one call, unless counts and request ids both differ: then the endpoint used the id twice. */
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
  let usage: TokenUsage | undefined;
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
    usage: () => {
      usage ??= readTokens(counted.usage);
      return usage;
    },
  };
}

/** Prefers a line with a stop reason, then the larger output, then the larger sum, then the earlier line. */
function isBetter(line: AssistantEntry, best: AssistantEntry, isSameUsage: boolean): boolean {
  const hasStop = line.stopReason !== null;
  if (hasStop !== (best.stopReason !== null)) return hasStop;
  if (isSameUsage) return false;
  const a = tokensOf(line);
  const b = tokensOf(best);
  return a.output === b.output ? sumOf(a) > sumOf(b) : a.output > b.output;
}

function tokensOf(line: AssistantEntry): Tokens {
  return readTokens(line.usage).tokens;
}

function sumOf({ input, output, cacheRead, cacheWrite5m, cacheWrite1h, webSearches }: Tokens): number {
  return input + output + cacheRead + cacheWrite5m + cacheWrite1h + webSearches;
}

function inAnswerOrder(lines: readonly AssistantEntry[]): readonly AssistantEntry[] {
  if (lines.some((line) => line.apiBlockIndex === undefined)) return lines;
  return lines.toSorted((a, b) => (a.apiBlockIndex ?? 0) - (b.apiBlockIndex ?? 0));
}
