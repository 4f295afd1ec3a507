import { fieldOf } from "../../protocol/internal.ts";
import type { AttachmentEntry, Entry } from "./entry.ts";
import { addTokens, type ModelCall, noTokens, type Tokens } from "./model-call.ts";
import { type AttributedCall, ownCalls, ownConversations, type SessionModel } from "./session-model.ts";
import type { SessionToolCall } from "./session-tool-call.ts";
import type { Turn } from "./session-turns.ts";
import type { Conversation } from "./transcript-conversation.ts";

/** Totals of a session. Counts include every branch; turns are those of the active branch. */
export interface SessionStats {
  readonly entries: number;
  readonly unreadable: number;
  readonly prompts: number;
  readonly turns: number;
  readonly calls: number;
  readonly apiErrors: number;
  readonly agents: number;
  readonly tools: Readonly<Record<string, ToolStats>>;
  readonly tokens: { readonly main: Tokens; readonly agents: Tokens };
  /** In whole micro-dollars; absent without a price function. */
  readonly costMicroUsd?: { readonly main: number; readonly agents: number };
  readonly firstAt?: string;
  readonly lastAt?: string;
  /** From the first to the last time. */
  readonly wallMs?: number;
  /** Sum of the turns. */
  readonly busyMs: number;
  /** Time spent waiting for the user, as far as hook records show it. */
  readonly waitingMs: number;
  readonly models: readonly string[];
  /** Files that Edit, Write and similar tools changed. */
  readonly filesTouched: readonly string[];
  readonly compactions: number;
  readonly droppedTokens: number;
  readonly speed: readonly CallSpeed[];
}

/** The number of calls and errors of one tool in a session, and their total duration. */
export interface ToolStats {
  readonly calls: number;
  readonly errors: number;
  readonly totalMs: number;
}

/** The speed of an answer. Figures that the transcript does not contain are absent. */
export interface CallSpeed {
  readonly key: string;
  readonly outputPerSecond?: number;
  readonly outputPerDollar?: number;
}

/** Cost of one call in micro-dollars; undefined when its model has no price. */
export type PriceOf = (call: ModelCall) => number | undefined;

export function statsOf(model: SessionModel, { price }: { price?: PriceOf } = {}): SessionStats {
  const conversations = ownConversations(model);
  const all = conversations.flatMap(({ entries }) => entries);
  const calls = ownCalls(model);
  const mainCalls = calls.filter(({ agentId }) => agentId === undefined);
  const agentCalls = calls.filter(({ agentId }) => agentId !== undefined);
  const tools = conversations.flatMap(({ toolCalls }) => toolCalls);
  const { turns } = model.main.turns();
  const compactions = conversations.flatMap((conversation) => conversation.compactions);
  return {
    entries: all.length,
    unreadable: conversations.reduce((sum, { unreadable }) => sum + unreadable.length, 0),
    prompts: model.main.entries.filter((entry) => entry.kind === "user" && entry.role === "prompt").length,
    turns: turns.length,
    calls: calls.length,
    apiErrors: conversations.reduce((sum, { apiErrors }) => sum + apiErrors.length, 0),
    agents: conversations.length - 1,
    tools: toolStats(tools),
    tokens: { main: tokensOf(mainCalls), agents: tokensOf(agentCalls) },
    ...(price && { costMicroUsd: { main: costOf(mainCalls, price), agents: costOf(agentCalls, price) } }),
    ...timesOf(all),
    busyMs: turns.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0),
    waitingMs: turns.reduce((sum, turn) => sum + waitIn(turn), 0),
    models: [...new Set(calls.flatMap(({ call }) => call.model ?? []))].sort(),
    filesTouched: [...new Set(tools.flatMap(changedFile))].sort(),
    compactions: compactions.length,
    droppedTokens: compactions.reduce((sum, { droppedTokens }) => sum + (droppedTokens ?? 0), 0),
    speed: conversations.flatMap((conversation) =>
      conversation.calls.map((call) => speedOf(call, conversation, price)),
    ),
  };
}

function toolStats(tools: readonly SessionToolCall[]): Record<string, ToolStats> {
  const stats = new Map<string, { calls: number; errors: number; totalMs: number }>();
  for (const { name, isError, startedAt, endedAt } of tools) {
    const sum = stats.get(name) ?? { calls: 0, errors: 0, totalMs: 0 };
    stats.set(name, sum);
    sum.calls++;
    if (isError) sum.errors++;
    sum.totalMs += msBetween(startedAt, endedAt) ?? 0;
  }
  return Object.fromEntries([...stats].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The tokens of the calls, including those of other models that they used. */
function tokensOf(calls: readonly AttributedCall[]): Tokens {
  const usages = calls.map(({ call }) => call.usage());
  return usages
    .flatMap(({ tokens, parts }) => [tokens, ...parts.map((part) => part.tokens)])
    .reduce(addTokens, noTokens);
}

function costOf(calls: readonly AttributedCall[], price: PriceOf): number {
  return calls.reduce((sum, { call }) => sum + (price(call) ?? 0), 0);
}

function timesOf(entries: readonly Entry[]): Pick<SessionStats, "firstAt" | "lastAt" | "wallMs"> {
  const times = entries.flatMap(({ timestamp }) =>
    Number.isNaN(Date.parse(timestamp ?? "")) ? [] : [timestamp as string],
  );
  let [firstAt] = times;
  if (firstAt === undefined) return {};
  let lastAt = firstAt;
  // The lines are in the order they were written, which is not always the order of their times.
  for (const time of times) {
    if (Date.parse(time) < Date.parse(firstAt)) firstAt = time;
    if (Date.parse(time) > Date.parse(lastAt)) lastAt = time;
  }
  return { firstAt, lastAt, wallMs: Date.parse(lastAt) - Date.parse(firstAt) };
}

/**
 * The duration that Claude Code records for a turn does not include waiting for the user. If a hook asked the user, the rest of the
 * turn was that wait.
 */
function waitIn({ toolCalls, startedAt, endedAt, durationMs, durationFrom }: Turn): number {
  if (durationFrom !== "record" || !toolCalls.some(({ hooks }) => hooks.some(asksUser))) return 0;
  return Math.max(0, (msBetween(startedAt, endedAt) ?? 0) - (durationMs ?? 0));
}

function asksUser({ fields, hookEvent }: AttachmentEntry): boolean {
  if (fields["decision"] === "ask") return true;
  const { stdout } = fields;
  return hookEvent === "PreToolUse" && typeof stdout === "string" && /"permissionDecision"\s*:\s*"ask"/.test(stdout);
}

function changedFile({ name, input, status }: SessionToolCall): string[] {
  if (!["Edit", "Write", "MultiEdit", "NotebookEdit"].includes(name) || status !== "ok") return [];
  const path = fieldOf(input, "file_path") ?? fieldOf(input, "notebook_path");
  return typeof path === "string" ? [path] : [];
}

function speedOf(call: ModelCall, conversation: Conversation, price: PriceOf | undefined): CallSpeed {
  const { output } = call.usage().tokens;
  const recordedMs = call.lines.find(({ durationMs }) => durationMs !== undefined)?.durationMs;
  const ms = recordedMs ?? msBetween(answeredAt(call, conversation), call.lastTimestamp);
  const cost = price?.(call);
  return {
    key: call.key,
    ...(ms !== undefined && ms > 0 ? { outputPerSecond: output / (ms / 1000) } : {}),
    ...(cost !== undefined && cost > 0 ? { outputPerDollar: output / (cost / 1_000_000) } : {}),
  };
}

/** The time of the entry a call answers. */
function answeredAt(call: ModelCall, { graph }: Conversation): string | undefined {
  const index = graph.indexOf(call.lines[0]?.uuid ?? "");
  return index === undefined ? undefined : graph.nodes[graph.parents[index] ?? -1]?.timestamp;
}

function msBetween(from: string | undefined, to: string | undefined): number | undefined {
  const ms = Date.parse(to ?? "") - Date.parse(from ?? "");
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
