import { defined, groupBy, lazy, memoized } from "../../protocol/internal.ts";
import type { Unreadable } from "../read/json-records.ts";
import { type Branches, branchesOf } from "./branches.ts";
import { type Compaction, compactionsOf, contextOf } from "./compactions.ts";
import type { AssistantEntry, Entry, TranscriptItem } from "./entry.ts";
import { type Graph, type GraphEntry, graphOf, isGraphEntry } from "./entry-graph.ts";
import { isModelCall, type ModelCall, modelCallsOf } from "./model-call.ts";
import type { SessionToolCall } from "./session-tool-call.ts";
import { type TurnList, turnsOf } from "./session-turns.ts";

/** One conversation: the main one of a session, or that of an agent. */
export interface Conversation extends ConversationDraft {
  readonly unreadable: readonly Unreadable[];
  readonly branches: Branches;
  readonly toolCalls: readonly SessionToolCall[];
  /** Answers that Claude Code wrote because a request failed. */
  readonly apiErrors: readonly AssistantEntry[];
  /** Placeholder answers of Claude Code, such as "No response requested.". */
  readonly fillers: readonly AssistantEntry[];
  readonly compactions: readonly Compaction[];
  /** The turns of a branch, by default the active one. `"all"` takes every line in file order. */
  turns(leaf?: string): TurnList;
  /** The entries of a branch in order, including those before compactions. */
  history(leaf?: string): readonly GraphEntry[];
  /** The entries that a model would receive now. */
  context(leaf?: string): readonly GraphEntry[];
}

/** A conversation before its tool calls are paired, which needs all conversations of the session. */
export interface ConversationDraft {
  /** Absent for the main conversation. */
  readonly agentId?: string;
  /** All entries and unreadable stretches, in file order. */
  readonly items: readonly TranscriptItem[];
  readonly entries: readonly Entry[];
  readonly graph: Graph;
  readonly calls: readonly ModelCall[];
}

export function draftConversation(items: readonly TranscriptItem[], agentId?: string): ConversationDraft {
  const entries = items.every(isEntry) ? items : items.filter(isEntry);
  const graph = graphOf(entries);
  const calls = modelCallsOf(entries, graph.superseded);
  return { ...defined({ agentId }), items, entries, graph, calls };
}

export function buildConversation(draft: ConversationDraft, toolCalls: readonly SessionToolCall[]): Conversation {
  const { items, entries, graph, calls } = draft;
  const starts = lazy(() => startsOf(calls, toolCalls));
  const claudeCodeAnswers = lazy(() =>
    entries
      .filter((entry) => entry.kind === "assistant")
      .filter((entry) => !isModelCall(entry) && !graph.superseded(entry)),
  );
  const branches = lazy(() => branchesOf(graph, entries));
  const compactions = lazy(() => compactionsOf(graph));
  const turns = memoized((leaf: string) => turnsOf(history(leaf), starts().callAt, starts().toolsAt));

  function history(leaf = branches().leaf): readonly GraphEntry[] {
    if (leaf === "all") return graph.nodes.filter((entry) => !graph.superseded(entry));
    return (leaf === undefined ? undefined : branches().entriesOf(leaf)) ?? [];
  }

  return {
    ...draft,
    toolCalls,
    unreadable: entries.length === items.length ? [] : items.filter((item) => item.kind === "unreadable"),
    get apiErrors() {
      return claudeCodeAnswers().filter((entry) => entry.isApiErrorMessage === true);
    },
    get fillers() {
      return claudeCodeAnswers().filter((entry) => entry.isApiErrorMessage !== true);
    },
    get branches() {
      return branches();
    },
    get compactions() {
      return compactions();
    },
    history,
    context: (leaf) => contextOf(graph, history(leaf)),
    turns: (leaf = branches().leaf ?? "") => turns(leaf),
  };
}

/** Finds the call and the tool calls that begin in a line. */
function startsOf(calls: readonly ModelCall[], toolCalls: readonly SessionToolCall[]) {
  const callAt = new Map<Entry, ModelCall>(calls.map((call) => [call.lines[0] as AssistantEntry, call]));
  const toolsAt: ReadonlyMap<Entry, SessionToolCall[]> = groupBy(toolCalls, (tool): Entry => tool.use);
  return { callAt: (entry: Entry) => callAt.get(entry), toolsAt: (entry: Entry) => toolsAt.get(entry) ?? [] };
}

function isEntry(item: TranscriptItem): item is Entry {
  return item.kind !== "unreadable";
}

/** An agent whose lines are in the main transcript. */
export interface Sidechain {
  /** Its agent id; if it has none, the uuid of its first line. */
  readonly id: string;
  readonly items: readonly TranscriptItem[];
}

/** Separates the lines of subagents from a main transcript, where older versions wrote them, and groups them by agent. */
export function takeSidechains(items: readonly TranscriptItem[]): {
  main: readonly TranscriptItem[];
  chains: readonly Sidechain[];
} {
  // All lines of an agent's own file are sidechain lines. Read alone, they are its main conversation.
  if (!items.some(isSidechainItem) || !items.some(isMainItem)) return { main: items, chains: [] };
  const roots = new Map<string, string>();
  const chains = new Map<string, { id: string; items: TranscriptItem[] }>();
  const main: TranscriptItem[] = [];
  for (const item of items) {
    if (!isSidechainItem(item)) {
      main.push(item);
      continue;
    }
    const root = (item.parentUuid ? roots.get(item.parentUuid) : undefined) ?? item.agentId ?? item.uuid;
    roots.set(item.uuid, root);
    const chain = chains.get(root) ?? { id: item.agentId ?? root, items: [] };
    chains.set(root, chain);
    chain.items.push(item);
  }
  return { main, chains: [...chains.values()] };
}

export function isSidechainItem(item: TranscriptItem): item is GraphEntry {
  return item.kind !== "unreadable" && item.isSidechain === true && isGraphEntry(item);
}

function isMainItem(item: TranscriptItem): boolean {
  return item.kind !== "unreadable" && item.isSidechain === false && isGraphEntry(item);
}
