import { fieldOf } from "../../protocol/internal.ts";
import type { AttachmentEntry, Entry } from "./entry.ts";
import type { ModelCall } from "./model-call.ts";
import { type AttributedCall, ownCalls, ownConversations, type SessionModel } from "./session-model.ts";
import type { SessionToolCall } from "./session-tool-call.ts";
import type { Turn } from "./session-turns.ts";
import { addTokens, noTokens, type Tokens } from "./tokens.ts";
import type { Conversation } from "./transcript-conversation.ts";

/** Totals of a session. Counts cover every branch; turns are those of the active one. */
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
  /** Time spent waiting for the user, where records of hooks show it. */
  readonly waitingMs: number;
  readonly models: readonly string[];
  /** Files that Edit, Write and their like changed. */
  readonly filesTouched: readonly string[];
  readonly compactions: number;
  readonly droppedTokens: number;
  readonly speed: readonly CallSpeed[];
}

export interface ToolStats {
  readonly calls: number;
  readonly errors: number;
  readonly totalMs: number;
}

/** How fast an answer came. Figures that the transcript does not show are absent. */
export interface CallSpeed {
  readonly key: string;
  readonly outputPerSecond?: number;
  readonly outputPerDollar?: number;
}

/** Cost of one call in micro-dollars; undefined when its model has no price. */
export type PriceOf = (call: ModelCall) => number | undefined;

export function statsOf(model: SessionModel, { price }: { price?: PriceOf } = {}): SessionStats {
  const threads = ownConversations(model);
  const all = threads.flatMap(({ entries }) => entries);
  const calls = ownCalls(model);
  const tools = threads.flatMap(({ toolCalls }) => toolCalls);
  const { turns } = model.main.turns();
  const compactions = threads.flatMap((thread) => thread.compactions);
  return {
    entries: all.length,
    unreadable: threads.reduce((sum, { unreadable }) => sum + unreadable.length, 0),
    prompts: model.main.entries.filter((entry) => entry.kind === "user" && entry.role === "prompt").length,
    turns: turns.length,
    calls: calls.length,
    apiErrors: threads.reduce((sum, { apiErrors }) => sum + apiErrors.length, 0),
    agents: threads.length - 1,
    tools: toolStats(tools),
    tokens: { main: tokensOf(calls, true), agents: tokensOf(calls, false) },
    ...(price === undefined
      ? {}
      : { costMicroUsd: { main: costOf(calls, true, price), agents: costOf(calls, false, price) } }),
    ...timesOf(all),
    busyMs: turns.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0),
    waitingMs: turns.reduce((sum, turn) => sum + waitIn(turn), 0),
    models: [...new Set(calls.flatMap(({ call }) => call.model ?? []))].sort(),
    filesTouched: [...new Set(tools.flatMap(touched))].sort(),
    compactions: compactions.length,
    droppedTokens: compactions.reduce((sum, { droppedTokens }) => sum + (droppedTokens ?? 0), 0),
    speed: threads.flatMap((thread) => thread.calls.map((call) => speedOf(call, thread, price))),
  };
}

function toolStats(tools: readonly SessionToolCall[]): Record<string, ToolStats> {
  const stats = new Map<string, { calls: number; errors: number; totalMs: number }>();
  for (const { name, isError, startedAt, endedAt } of tools) {
    const sum = stats.get(name) ?? { calls: 0, errors: 0, totalMs: 0 };
    stats.set(name, sum);
    sum.calls++;
    if (isError) sum.errors++;
    sum.totalMs += between(startedAt, endedAt) ?? 0;
  }
  return Object.fromEntries([...stats].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What the call itself used, and what other models used inside it. */
function tokensOf(calls: readonly AttributedCall[], inMain: boolean): Tokens {
  let sum = noTokens;
  for (const { call, agentId } of calls) {
    if ((agentId === undefined) !== inMain) continue;
    const { tokens, parts } = call.usage();
    sum = [tokens, ...parts.map((part) => part.tokens)].reduce(addTokens, sum);
  }
  return sum;
}

function costOf(calls: readonly AttributedCall[], inMain: boolean, price: PriceOf): number {
  return calls.reduce(
    (sum, { call, agentId }) => ((agentId === undefined) === inMain ? sum + (price(call) ?? 0) : sum),
    0,
  );
}

function timesOf(entries: readonly Entry[]): Pick<SessionStats, "firstAt" | "lastAt" | "wallMs"> {
  const times = entries.flatMap(({ timestamp }) =>
    Number.isNaN(Date.parse(timestamp ?? "")) ? [] : [timestamp as string],
  );
  const [first] = times;
  if (first === undefined) return {};
  // Lines are in the order they were written, their times are not.
  const [firstAt, lastAt] = times.reduce(
    ([low, high], time) => [
      Date.parse(time) < Date.parse(low) ? time : low,
      Date.parse(time) > Date.parse(high) ? time : high,
    ],
    [first, first],
  );
  return { firstAt, lastAt, wallMs: Date.parse(lastAt) - Date.parse(firstAt) };
}

/**
 * The client's own figure for a turn leaves out the time it waited for the user. So where a hook asked, the rest of the
 * turn's time is that wait.
 */
function waitIn({ toolCalls, startedAt, endedAt, durationMs, durationFrom }: Turn): number {
  if (durationFrom !== "record" || !toolCalls.some(({ hooks }) => hooks.some(asks))) return 0;
  return Math.max(0, (between(startedAt, endedAt) ?? 0) - (durationMs ?? 0));
}

function asks({ fields, hookEvent }: AttachmentEntry): boolean {
  if (fields["decision"] === "ask") return true;
  const { stdout } = fields;
  return hookEvent === "PreToolUse" && typeof stdout === "string" && /"permissionDecision"\s*:\s*"ask"/.test(stdout);
}

function touched({ name, input, status }: SessionToolCall): string[] {
  if (!["Edit", "Write", "MultiEdit", "NotebookEdit"].includes(name) || status !== "ok") return [];
  const path = fieldOf(input, "file_path") ?? fieldOf(input, "notebook_path");
  return typeof path === "string" ? [path] : [];
}

function speedOf(call: ModelCall, thread: Conversation, price: PriceOf | undefined): CallSpeed {
  const { output } = call.usage().tokens;
  const written = call.lines.find(({ durationMs }) => durationMs !== undefined)?.durationMs;
  const ms = written ?? between(answeredAt(call, thread), call.lastTimestamp);
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

function between(from: string | undefined, to: string | undefined): number | undefined {
  const passed = Date.parse(to ?? "") - Date.parse(from ?? "");
  return Number.isNaN(passed) ? undefined : Math.max(0, passed);
}
