import { groupBy } from "../../protocol/internal.ts";
import { type Branches, branchesOf } from "./branches.ts";
import { type Compaction, compactionsOf, contextOf } from "./compactions.ts";
import type { AssistantEntry, Entry, TranscriptItem, Unreadable } from "./entry.ts";
import { type Graph, type GraphEntry, graphOf, isGraphEntry } from "./entry-graph.ts";
import { isModelCall, type ModelCall, modelCallsOf } from "./model-call.ts";
import type { SessionToolCall } from "./session-tool-call.ts";
import { type TurnList, turnsOf } from "./session-turns.ts";

/** One conversation: the session's own, or an agent's. */
export interface Conversation {
  /** Absent for the session's own. */
  readonly agentId?: string;
  /** Everything in file order, unreadable stretches in their places. */
  readonly items: readonly TranscriptItem[];
  readonly entries: readonly Entry[];
  readonly unreadable: readonly Unreadable[];
  readonly graph: Graph;
  readonly branches: Branches;
  readonly calls: readonly ModelCall[];
  readonly toolCalls: readonly SessionToolCall[];
  /** Answers the client wrote because a request failed. */
  readonly apiErrors: readonly AssistantEntry[];
  /** Answers the client wrote where nothing was asked ("No response requested."). */
  readonly fillers: readonly AssistantEntry[];
  readonly compactions: readonly Compaction[];
  /** Turns of a branch; the active one unless a leaf is named. `"all"` takes every line in file order. */
  turns(leaf?: string): TurnList;
  /** Entries of a branch in order, across compactions. */
  history(leaf?: string): readonly GraphEntry[];
  /** What a model would be given now. */
  context(leaf?: string): readonly GraphEntry[];
}

/** A conversation before its tool calls are paired, which needs the files of all others. */
export interface ConversationDraft {
  readonly agentId?: string;
  readonly items: readonly TranscriptItem[];
  readonly entries: readonly Entry[];
  readonly graph: Graph;
  readonly calls: readonly ModelCall[];
}

export function draftConversation(items: readonly TranscriptItem[], agentId?: string): ConversationDraft {
  const entries = items.every(isEntry) ? items : items.filter(isEntry);
  const graph = graphOf(entries);
  const calls = modelCallsOf(entries, graph.superseded);
  return { ...(agentId === undefined ? {} : { agentId }), items, entries, graph, calls };
}

export function buildConversation(draft: ConversationDraft, toolCalls: readonly SessionToolCall[]): Conversation {
  const { items, entries, graph, calls } = draft;
  const starts = lazy(() => startsOf(calls, toolCalls));
  const own = lazy(
    () =>
      entries.filter((entry) => isAnswer(entry) && !isModelCall(entry) && !graph.superseded(entry)) as AssistantEntry[],
  );
  const branches = lazy(() => branchesOf(graph, entries));
  const compactions = lazy(() => compactionsOf(graph));
  const turns = new Map<string, TurnList>();

  function history(leaf = branches().leaf): readonly GraphEntry[] {
    if (leaf === "all") return graph.nodes.filter((entry) => !graph.superseded(entry));
    return (leaf === undefined ? undefined : branches().entriesOf(leaf)) ?? [];
  }

  return {
    ...draft,
    toolCalls,
    unreadable: entries.length === items.length ? [] : items.filter((item) => item.kind === "unreadable"),
    get apiErrors() {
      return own().filter((entry) => entry.isApiErrorMessage === true);
    },
    get fillers() {
      return own().filter((entry) => entry.isApiErrorMessage !== true);
    },
    get branches() {
      return branches();
    },
    get compactions() {
      return compactions();
    },
    history,
    context: (leaf) => contextOf(graph, history(leaf)),
    turns(leaf = branches().leaf ?? "") {
      const known = turns.get(leaf) ?? turnsOf(history(leaf), starts().callAt, starts().toolsAt);
      turns.set(leaf, known);
      return known;
    },
  };
}

/** Which call and which tool calls begin in a line. */
function startsOf(calls: readonly ModelCall[], toolCalls: readonly SessionToolCall[]) {
  const callAt = new Map<Entry, ModelCall>(calls.map((call) => [call.lines[0] as AssistantEntry, call]));
  const toolsAt: ReadonlyMap<Entry, SessionToolCall[]> = groupBy(toolCalls, (tool): Entry => tool.use);
  return { callAt: (entry: Entry) => callAt.get(entry), toolsAt: (entry: Entry) => toolsAt.get(entry) ?? [] };
}

function isEntry(item: TranscriptItem): item is Entry {
  return item.kind !== "unreadable";
}

function isAnswer(entry: Entry): entry is AssistantEntry {
  return entry.kind === "assistant";
}

/** An agent whose lines stand inside the main transcript. */
interface Sidechain {
  /** Its agent id where written, else the uuid of its first line. */
  readonly id: string;
  readonly items: readonly TranscriptItem[];
}

/** Takes the lines of older versions' subagents out of a main transcript, grouped by their first line. */
export function takeSidechains(items: readonly TranscriptItem[]): {
  main: readonly TranscriptItem[];
  chains: readonly Sidechain[];
} {
  // An agent's own file has nothing but such lines: read alone, they are its main conversation.
  if (!items.some(isSide) || !items.some(isMain)) return { main: items, chains: [] };
  const roots = new Map<string, string>();
  const chains = new Map<string, { id: string; items: TranscriptItem[] }>();
  const main: TranscriptItem[] = [];
  for (const item of items) {
    if (!isSide(item)) {
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

function isSide(item: TranscriptItem): item is Entry & { uuid: string; parentUuid: string | null } {
  return item.kind !== "unreadable" && item.isSidechain === true && isGraphEntry(item);
}

function isMain(item: TranscriptItem): boolean {
  return item.kind !== "unreadable" && item.isSidechain === false && isGraphEntry(item);
}

/** Makes a value when it is first asked for, and never again. */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
