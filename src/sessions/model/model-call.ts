import { fieldOf, groupBy } from "../../protocol/internal.ts";
import type { EntryBlock } from "./content-block.ts";
import type { AssistantEntry, Entry } from "./entry.ts";
import { readTokens, type Tokens, type TokenUsage } from "./tokens.ts";

/** One answer of a model, however many lines it was written in. */
export interface ModelCall {
  /** `message.id`; where that is missing the request id, then the line's uuid. */
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
  /** Input or cache counts differ between the lines: the counted line is used whole. */
  readonly conflict: boolean;
  usage(): TokenUsage;
}

/**
 * Groups answers into calls, in the order of their first lines. `<synthetic>` answers are no calls: see `isCall`.
 * `superseded` says which lines were written again under the same uuid: their blocks do not count twice, their usage may.
 */
export function modelCallsOf(
  entries: readonly Entry[],
  superseded: (entry: Entry) => boolean = () => false,
): ModelCall[] {
  const answers = entries.filter((entry) => entry.kind === "assistant" && isModelCall(entry)) as AssistantEntry[];
  return [...groupBy(answers, callKey)].flatMap(([key, lines]) =>
    splitByRequest(lines).map((some) => toCall(key, some, superseded)),
  );
}

/** False for answers the client wrote itself. */
export function isModelCall(answer: AssistantEntry): boolean {
  return answer.model !== "<synthetic>";
}

/** True for an answer that the client wrote to fill a gap, such as the end of an unanswered turn; it is not an error. */
export function isClientFiller(answer: AssistantEntry): boolean {
  return !isModelCall(answer) && answer.isApiErrorMessage !== true;
}

export function callKey(answer: AssistantEntry): string {
  return answer.messageId || answer.requestId || answer.uuid;
}

/** Lines of one id are one call, unless counts and request ids both differ: then an endpoint gave the id twice. */
function splitByRequest(lines: AssistantEntry[]): AssistantEntry[][] {
  if (lines.length === 1 || alike(lines) || !disagree(lines)) return [lines];
  return [...groupBy(lines, (line) => line.requestId ?? "").values()];
}

const counts = ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"] as const;

/** As a rule every line of an answer carries the same figures: then there is nothing to weigh. */
function alike(lines: readonly AssistantEntry[]): boolean {
  const first = lines[0]?.usage;
  if (first === undefined) return false;
  const searched = searchesIn(first);
  return lines.every(
    ({ usage }) =>
      usage !== undefined && counts.every((name) => usage[name] === first[name]) && searchesIn(usage) === searched,
  );
}

function searchesIn({ server_tool_use: server }: Readonly<Record<string, unknown>>): unknown {
  return fieldOf(server, "web_search_requests") ?? 0;
}

/** Input and cache counts of one answer are the same on each of its lines, except where a line says 0. */
function disagree(lines: readonly AssistantEntry[]): boolean {
  return (["input", "cacheRead", "cacheWrite5m", "cacheWrite1h"] as const).some((name) => {
    let known = 0;
    return lines.some((line) => {
      const value = tokensOf(line)[name];
      if (value === 0) return false;
      if (known !== 0 && known !== value) return true;
      known = value;
      return false;
    });
  });
}

function toCall(key: string, all: readonly AssistantEntry[], superseded: (entry: Entry) => boolean): ModelCall {
  const kept = all.filter((line) => !superseded(line));
  const lines = kept.length > 0 ? kept : all;
  const first = lines[0] as AssistantEntry;
  const same = all.length === 1 || alike(all);
  const counted = all.reduce((best, line) => (beats(line, best, same) ? line : best));
  let usage: TokenUsage | undefined;
  return {
    key,
    messageId: first.messageId,
    requestId: first.requestId,
    model: first.model,
    content: lines.length === 1 ? first.content : inOrder(lines).flatMap((line) => line.content),
    lines,
    counted,
    stopReason: lines.findLast((line) => line.stopReason !== null)?.stopReason ?? null,
    timestamp: first.timestamp,
    lastTimestamp: lines.findLast((line) => line.timestamp !== undefined)?.timestamp,
    conflict: !same && disagree(all),
    usage: () => {
      usage ??= readTokens(counted.usage);
      return usage;
    },
  };
}

/** A record with a stop reason beats one without; then the larger output; then the larger sum; then the earlier line. */
function beats(line: AssistantEntry, best: AssistantEntry, same: boolean): boolean {
  const stopped = Number(line.stopReason !== null) - Number(best.stopReason !== null);
  if (stopped !== 0 || same) return stopped > 0;
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

function inOrder(lines: readonly AssistantEntry[]): readonly AssistantEntry[] {
  if (lines.some((line) => line.apiBlockIndex === undefined)) return lines;
  return lines.toSorted((a, b) => (a.apiBlockIndex ?? 0) - (b.apiBlockIndex ?? 0));
}
