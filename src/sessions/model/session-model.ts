import type { SessionFiles, SessionPlace } from "../find/session-files.ts";
import { type FormatDrift, formatDriftOf } from "../formats/claude-code/format-drift.ts";
import { answerIn } from "../formats/claude-code/to-entry.ts";
import type { Entry, TranscriptItem, Unreadable } from "./entry.ts";
import type { GraphEntry } from "./entry-graph.ts";
import { callKey, type ModelCall, modelCallsOf } from "./model-call.ts";
import { pairTools } from "./pair-tool-calls.ts";
import type { SessionToolCall } from "./session-tool-call.ts";
import { linkSubagents, type Subagent, type SubagentDraft, type SubagentOrigin } from "./subagents.ts";
import {
  buildConversation,
  type Conversation,
  type ConversationDraft,
  draftConversation,
  lazy,
  takeSidechains,
} from "./transcript-conversation.ts";

/** The files of one session, read. The order of `agents` does not matter. */
export interface SessionContent {
  readonly place: SessionPlace;
  readonly files: SessionFiles;
  readonly main: readonly TranscriptItem[];
  readonly agents: readonly SubagentContent[];
}

export interface SubagentContent extends SubagentOrigin {
  readonly items: readonly TranscriptItem[];
}

/** A whole session: its conversation, its agents', and indexes over all of them. */
export interface SessionModel {
  readonly id: string;
  readonly place: SessionPlace;
  readonly files: SessionFiles;
  readonly main: Conversation;
  /** Every agent at any depth, by the time it began. */
  readonly agents: readonly Subagent[];
  /** Calls of every conversation, each once; those that stand only in `progress` lines come last. */
  readonly calls: readonly AttributedCall[];
  readonly toolCalls: readonly SessionToolCall[];
  readonly unreadable: readonly Unreadable[];
  readonly findings: readonly ModelFinding[];
  byUuid(uuid: string): Entry | undefined;
  childrenOf(uuid: string): readonly Entry[];
  call(messageId: string): ModelCall | undefined;
  toolCall(id: string): SessionToolCall | undefined;
  agent(id: string): Subagent | undefined;
  drift(): readonly FormatDrift[];
}

export interface AttributedCall {
  readonly call: ModelCall;
  /** Absent for the main conversation. */
  readonly agentId?: string;
}

/** Something a reader had to decide or a writer did wrong; the checks of `validate` say more. */
export interface ModelFinding {
  readonly what:
    | "duplicate-uuid"
    | "parent-missing"
    | "logical-parent-missing"
    | "parent-cycle"
    | "session-id-mixed"
    | "agent-cycle"
    | "lone-result";
  readonly file: string;
  readonly line: number;
  readonly about: string;
}

export function modelOf(content: SessionContent): SessionModel {
  const { place, files } = content;
  const { main, chains } = takeSidechains(content.main);
  const mainDraft = draftConversation(main);
  const drafts = agentDrafts(content, chains);
  const tools = pairTools([mainDraft, ...drafts.map(({ draft }) => draft)]);
  const threads = new Map<ConversationDraft, Conversation>();
  const threadFor = (draft: ConversationDraft) => {
    const thread = threads.get(draft) ?? buildConversation(draft, tools.of(draft));
    threads.set(draft, thread);
    return thread;
  };
  const { agents, cut } = linkSubagents(drafts, tools, threadFor);
  const all = [threadFor(mainDraft), ...agents.map(({ thread }) => thread)];
  const calls = lazy(() => callsOver(all));
  const callIndex = lazy(() => new Map(calls().map(({ call }) => [call.key, call])));
  const agentIndex = new Map(agents.map((agent) => [agent.id, agent]));
  const threadOfUuid = (uuid: string) => all.find(({ graph }) => graph.indexOf(uuid) !== undefined);

  return {
    id: place.id,
    place,
    files,
    main: threadFor(mainDraft),
    agents,
    get calls() {
      return calls();
    },
    toolCalls: tools.toolCalls,
    unreadable: all.flatMap(({ unreadable }) => unreadable),
    findings: [
      ...all.flatMap(({ graph }) => graph.findings.map(({ what, entry }) => finding(what, entry, entry.uuid))),
      ...mixedIds(place.id, all),
      ...cut.map((id) => ({ what: "agent-cycle" as const, file: agentIndex.get(id)?.file ?? "", line: 0, about: id })),
      ...tools.lone.map((entry) => finding("lone-result", entry, entry.uuid)),
    ],
    byUuid(uuid) {
      const graph = threadOfUuid(uuid)?.graph;
      return graph?.nodes[graph.indexOf(uuid) ?? -1];
    },
    childrenOf(uuid) {
      const graph = threadOfUuid(uuid)?.graph;
      if (graph === undefined) return [];
      return graph.childrenOf(graph.indexOf(uuid) ?? -1).map((index) => graph.nodes[index] as GraphEntry);
    },
    call: (messageId) => callIndex().get(messageId),
    toolCall: (id) => tools.byId.get(id),
    agent: (id) => agentIndex.get(id),
    drift: () => formatDriftOf(all.flatMap(({ items }) => items)),
  };
}

function agentDrafts(
  content: SessionContent,
  chains: readonly { id: string; items: readonly TranscriptItem[] }[],
): SubagentDraft[] {
  const inFiles = content.agents.map(({ items, ...place }) => ({
    ...place,
    inline: false,
    draft: draftConversation(items, place.id),
  }));
  const inMain = chains.map(({ id, items }) => ({
    id,
    file: content.files.main,
    inline: true,
    draft: draftConversation(items, id),
  }));
  return [...inFiles, ...inMain].sort(byBeginning);
}

/** Any order of files gives the same model. */
function byBeginning(a: SubagentDraft, b: SubagentDraft): number {
  const [first, second] = [a, b].map(
    ({ draft, id }) => `${draft.entries.find((entry) => entry.timestamp)?.timestamp ?? ""} ${id}`,
  );
  return (first ?? "") < (second ?? "") ? -1 : 1;
}

function callsOver(threads: readonly Conversation[]): AttributedCall[] {
  const copies = threads.flatMap(({ entries }) => entries.flatMap((entry) => answerIn(entry) ?? none));
  // One conversation holds each of its calls once.
  if (threads.length === 1 && copies.length === 0) return threads[0]?.calls.map((call) => ({ call })) ?? [];
  const held = new Map<string, HeldCall[]>();
  for (const thread of threads) {
    const { agentId } = thread;
    for (const call of thread.calls) {
      const one = { call, ...(agentId === undefined ? {} : { agentId }), thread };
      const known = held.get(call.key);
      if (known === undefined) held.set(call.key, [one]);
      else known.push(one);
    }
  }
  const lost = modelCallsOf(copies.filter((copy) => !held.has(callKey(copy)))).map((call) => ({ call }));
  return [...[...held.values()].flatMap(attributed), ...lost];
}

/** A call and the conversation it was found in. One agent may have two: a migration that was cut short leaves it in two files. */
interface HeldCall extends AttributedCall {
  readonly thread: Conversation;
}

const none: readonly never[] = [];

/** Calls of one key. Where several conversations hold it all their lines weigh, and the first one with such a line has it. */
function attributed(held: readonly HeldCall[]): readonly AttributedCall[] {
  if (held.every(({ thread }) => thread === held[0]?.thread)) return held.map(({ thread: _, ...owned }) => owned);
  return modelCallsOf(held.flatMap(({ call }) => call.lines)).map((call) => {
    const lines = new Set(call.lines);
    const agentId = held.find((one) => one.call.lines.some((line) => lines.has(line)))?.agentId;
    return { call, ...(agentId === undefined ? {} : { agentId }) };
  });
}

/** The conversations of the session itself: those of subagents whose files belong to another session are left out. */
export function ownConversations({ main, agents }: SessionModel): Conversation[] {
  return [main, ...agents.flatMap(({ thread, borrowedFrom }) => (borrowedFrom === undefined ? [thread] : []))];
}

/** The calls of these conversations. */
export function ownCalls({ calls, agents }: SessionModel): AttributedCall[] {
  const borrowed = new Set(agents.flatMap(({ id, borrowedFrom }) => (borrowedFrom === undefined ? [] : [id])));
  return calls.filter(({ agentId }) => agentId === undefined || !borrowed.has(agentId));
}

function mixedIds(id: string, threads: readonly Conversation[]): ModelFinding[] {
  const seen = new Set<string | undefined>([id, undefined]);
  const findings: ModelFinding[] = [];
  for (const { entries } of threads) {
    for (const entry of entries) {
      if (seen.has(entry.sessionId)) continue;
      seen.add(entry.sessionId);
      findings.push(finding("session-id-mixed", entry, entry.sessionId ?? ""));
    }
  }
  return findings;
}

function finding(what: ModelFinding["what"], { file, line }: Entry, about: string): ModelFinding {
  return { what, file, line, about };
}
