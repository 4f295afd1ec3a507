import type { Entry, UserEntry } from "./entry.ts";
import { type GraphEntry, isGraphEntry } from "./entry-graph.ts";
import { isClaudeCodeFiller, isModelCall, type ModelCall } from "./model-call.ts";
import type { SessionToolCall } from "./session-tool-call.ts";

/** From a prompt to the point where the agent waits for the next one. */
export interface Turn {
  /** From 1, in order. */
  readonly number: number;
  readonly start: UserEntry;
  readonly entries: readonly Entry[];
  readonly calls: readonly ModelCall[];
  readonly toolCalls: readonly SessionToolCall[];
  readonly ended: TurnEnd;
  /** How often a stop hook made the agent continue. */
  readonly stopFeedback: number;
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly durationMs?: number;
  /** Written by Claude Code, or computed from the first and last time in the turn. */
  readonly durationFrom?: "record" | "timestamps";
}

/** The way in which a turn ended; `open` when it has not ended. */
export type TurnEnd = "answered" | "interrupted" | "api-error" | "deferred" | "open";

/** A built-in command, which Claude Code answers without a model. */
export interface LocalCommand {
  /** Its name with the slash. */
  readonly name: string;
  readonly entry: UserEntry;
  readonly entries: readonly Entry[];
}

/** The turns of a conversation, and the built-in commands between them. */
export interface TurnList {
  readonly turns: readonly Turn[];
  readonly localCommands: readonly LocalCommand[];
}

/** `entries` are those of one branch, in file order. `callAt` and `toolsAt` find calls and tool calls by their first line. */
export function turnsOf(
  entries: readonly Entry[],
  callAt: (entry: Entry) => ModelCall | undefined,
  toolsAt: (entry: Entry) => readonly SessionToolCall[],
): TurnList {
  const { drafts, localCommands } = draftTurns(entries);
  const turns = drafts.map(({ start, entries: own }, index) => {
    const calls = own.flatMap((entry) => callAt(entry) ?? []);
    const toolCalls = own.flatMap(toolsAt);
    const ended = endOf(own, calls, toolCalls);
    return {
      number: index + 1,
      start,
      entries: own,
      calls,
      toolCalls,
      ended,
      stopFeedback: own.filter(isStopFeedback).length,
      ...timesOf(own),
    };
  });
  return { turns, localCommands };
}

/** True for the meta line by which a stop hook makes the agent continue. */
export function isStopFeedback(entry: Entry): boolean {
  if (entry.kind !== "user" || entry.role !== "meta") return false;
  const first = entry.content[0];
  return first?.type === "text" && /^(?:Subagent)?Stop hook feedback/.test(first.text);
}

interface TurnDraft {
  start: UserEntry;
  entries: Entry[];
}

function draftTurns(entries: readonly Entry[]): { drafts: TurnDraft[]; localCommands: LocalCommand[] } {
  const drafts: TurnDraft[] = [];
  const localCommands: LocalCommand[] = [];
  /** A command without an answer so far. It is a turn if a model answers, otherwise a local command. */
  let pending: TurnDraft | undefined;
  let current: TurnDraft | undefined;
  const endPending = () => {
    if (pending !== undefined)
      localCommands.push({ name: commandName(pending.start), entry: pending.start, entries: pending.entries });
    pending = undefined;
  };
  for (const entry of entries) {
    if (entry.kind === "user" && ["prompt", "notification", "teammate"].includes(entry.role)) {
      endPending();
      current = { start: entry, entries: [] };
      drafts.push(current);
    } else if (entry.kind === "user" && entry.role === "command") {
      endPending();
      pending = { start: entry, entries: [] };
    } else if (pending !== undefined && entry.kind === "assistant" && !isClaudeCodeFiller(entry)) {
      current = pending;
      drafts.push(pending);
      pending = undefined;
    }
    (pending ?? current)?.entries.push(entry);
  }
  endPending();
  return { drafts, localCommands };
}

function commandName(entry: UserEntry): string {
  const first = entry.content[0];
  const text = first?.type === "text" ? first.text : "";
  return /<command-name>([^<]*)<\/command-name>/.exec(text)?.[1] ?? "";
}

function endOf(entries: readonly Entry[], calls: readonly ModelCall[], tools: readonly SessionToolCall[]): TurnEnd {
  const last = entries.findLast(
    (entry) =>
      entry.kind === "assistant" || (entry.kind === "user" && (entry.role === "result" || entry.role === "interrupt")),
  );
  if (last?.kind === "user" && last.role === "interrupt") return "interrupted";
  if (last?.kind === "assistant" && !isModelCall(last))
    return last.isApiErrorMessage === true ? "api-error" : endOfCall(calls);
  if (tools.some((tool) => tool.status === "deferred")) return "deferred";
  return last?.kind === "assistant" ? endOfCall(calls) : "open";
}

const unfinished: ReadonlySet<string | null> = new Set([null, "tool_use", "pause_turn"]);

function endOfCall(calls: readonly ModelCall[]): TurnEnd {
  const last = calls.at(-1);
  return last === undefined || unfinished.has(last.stopReason) ? "open" : "answered";
}

/** True when the answer is complete: neither cut off nor waiting for a tool. */
export function isFinal(call: ModelCall): boolean {
  return !unfinished.has(call.stopReason);
}

function timesOf(entries: readonly Entry[]): Pick<Turn, "startedAt" | "endedAt" | "durationMs" | "durationFrom"> {
  const record = entries.find((entry) => entry.kind === "system" && entry.subtype === "turn_duration");
  const times = entries
    .filter(isGraphEntry)
    .filter(isConversation)
    .flatMap(({ timestamp }) => timestamp ?? []);
  const startedAt = times[0];
  if (startedAt === undefined) return {};
  const endedAt = times.reduce((latest, time) => (Date.parse(time) > Date.parse(latest) ? time : latest));
  const recordedMs = record?.kind === "system" ? record.durationMs : undefined;
  if (recordedMs !== undefined) return { startedAt, endedAt, durationMs: recordedMs, durationFrom: "record" };
  const durationMs = Date.parse(endedAt) - Date.parse(startedAt);
  return Number.isNaN(durationMs) ? { startedAt } : { startedAt, endedAt, durationMs, durationFrom: "timestamps" };
}

/** True for lines of the user or a model. A compaction or a caveat after the last answer does not make a turn longer. */
function isConversation(entry: GraphEntry): boolean {
  if (entry.kind === "assistant") return true;
  return entry.kind === "user" && entry.role !== "meta" && entry.role !== "summary";
}
