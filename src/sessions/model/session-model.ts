import { defined, groupBy, lazy } from "../../protocol/internal.ts";
import type { SessionFiles, SessionPlace } from "../find/session-files.ts";
import { type FormatDrift, formatDriftOf } from "../formats/claude-code/format-drift.ts";
import { answerIn } from "../formats/claude-code/to-entry.ts";
import type { Unreadable } from "../read/json-records.ts";
import type { Entry, TranscriptItem } from "./entry.ts";
import type { GraphEntry, GraphFinding } from "./entry-graph.ts";
import { callKey, type ModelCall, modelCallsOf } from "./model-call.ts";
import { pairTools } from "./pair-tool-calls.ts";
import type { SessionToolCall } from "./session-tool-call.ts";
import { linkSubagents, type Subagent, type SubagentDraft, type SubagentOrigin } from "./subagents.ts";
import {
  buildConversation,
  type Conversation,
  draftConversation,
  type Sidechain,
  takeSidechains,
} from "./transcript-conversation.ts";

/** The contents of the files of one session. The order of `agents` does not matter. */
export interface SessionContent {
  readonly place: SessionPlace;
  readonly files: SessionFiles;
  readonly main: readonly TranscriptItem[];
  readonly agents: readonly SubagentContent[];
}

export interface SubagentContent extends SubagentOrigin {
  readonly items: readonly TranscriptItem[];
}

/** A whole session: its main conversation, those of its agents, and indexes over all of them. */
export interface SessionModel {
  readonly id: string;
  readonly place: SessionPlace;
  readonly files: SessionFiles;
  readonly main: Conversation;
  /** Every agent at any depth, by start time. */
  readonly agents: readonly Subagent[];
  /** The calls of all conversations, each once. Calls that are only in `progress` lines come last. */
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

/** A model call with the id of the subagent that made it. */
export interface AttributedCall {
  readonly call: ModelCall;
  /** Absent for the main conversation. */
  readonly agentId?: string;
}

/** A problem in the files that the reader resolved. `validateSession` reports more. */
export interface ModelFinding {
  readonly what: GraphFinding["what"] | "session-id-mixed" | "agent-cycle" | "lone-result";
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
  const mainConversation = buildConversation(mainDraft, tools.of(mainDraft));
  const { agents, cut } = linkSubagents(drafts, tools);
  const all = [mainConversation, ...agents.map(({ thread }) => thread)];
  const calls = lazy(() => callsOver(all));
  const callIndex = lazy(() => new Map(calls().map(({ call }) => [call.key, call])));
  const agentIndex = new Map(agents.map((agent) => [agent.id, agent]));
  const graphWith = (uuid: string) => all.find(({ graph }) => graph.indexOf(uuid) !== undefined)?.graph;

  return {
    id: place.id,
    place,
    files,
    main: mainConversation,
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
      ...tools.loneResults.map((entry) => finding("lone-result", entry, entry.uuid)),
    ],
    byUuid(uuid) {
      const graph = graphWith(uuid);
      return graph?.nodes[graph.indexOf(uuid) ?? -1];
    },
    childrenOf(uuid) {
      const graph = graphWith(uuid);
      if (graph === undefined) return [];
      return graph.childrenOf(graph.indexOf(uuid) ?? -1).map((index) => graph.nodes[index] as GraphEntry);
    },
    call: (messageId) => callIndex().get(messageId),
    toolCall: (id) => tools.byId.get(id),
    agent: (id) => agentIndex.get(id),
    drift: () => formatDriftOf(all.flatMap(({ items }) => items)),
  };
}

function agentDrafts(content: SessionContent, chains: readonly Sidechain[]): SubagentDraft[] {
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
  // A fixed order, so that the order of files does not change the model.
  return [...inFiles, ...inMain].sort((a, b) => (startKey(a) < startKey(b) ? -1 : 1));
}

function startKey({ draft, id }: SubagentDraft): string {
  return `${draft.entries.find((entry) => entry.timestamp)?.timestamp ?? ""} ${id}`;
}

function callsOver(conversations: readonly Conversation[]): AttributedCall[] {
  const copies = conversations.flatMap(({ entries }) => entries.flatMap((entry) => answerIn(entry) ?? none));
  // One conversation contains each of its calls once.
  if (conversations.length === 1 && copies.length === 0) return conversations[0]?.calls.map((call) => ({ call })) ?? [];
  const located = conversations.flatMap((conversation) =>
    conversation.calls.map((call) => ({ call, ...defined({ agentId: conversation.agentId }), conversation })),
  );
  const byKey = groupBy(located, ({ call }) => call.key);
  const onlyInCopies = modelCallsOf(copies.filter((copy) => !byKey.has(callKey(copy)))).map((call) => ({ call }));
  return [...[...byKey.values()].flatMap(attributeCalls), ...onlyInCopies];
}

/** A call in one of its conversations. One agent may have two conversations: an interrupted migration leaves it in two files. */
interface LocatedCall extends AttributedCall {
  readonly conversation: Conversation;
}

const none: readonly never[] = [];

/** The calls of one key. If several conversations contain it, their lines are merged, and the first conversation owns the call. */
function attributeCalls(located: readonly LocatedCall[]): readonly AttributedCall[] {
  const isInOne = located.every(({ conversation }) => conversation === located[0]?.conversation);
  if (isInOne) return located.map(({ conversation: _, ...call }) => call);
  return modelCallsOf(located.flatMap(({ call }) => call.lines)).map((call) => {
    const lines = new Set(call.lines);
    const owner = located.find((candidate) => candidate.call.lines.some((line) => lines.has(line)));
    return { call, ...defined({ agentId: owner?.agentId }) };
  });
}

/** All conversations except those of agents whose files belong to another session. */
export function ownConversations({ main, agents }: SessionModel): Conversation[] {
  return [main, ...agents.flatMap(({ thread, borrowedFrom }) => (borrowedFrom === undefined ? [thread] : []))];
}

/** The calls of `ownConversations`. */
export function ownCalls({ calls, agents }: SessionModel): AttributedCall[] {
  const borrowed = new Set(agents.flatMap(({ id, borrowedFrom }) => (borrowedFrom === undefined ? [] : [id])));
  return calls.filter(({ agentId }) => agentId === undefined || !borrowed.has(agentId));
}

function mixedIds(id: string, conversations: readonly Conversation[]): ModelFinding[] {
  const ids = new Set<string | undefined>([id, undefined]);
  const findings: ModelFinding[] = [];
  for (const { entries } of conversations) {
    for (const entry of entries) {
      if (ids.has(entry.sessionId)) continue;
      ids.add(entry.sessionId);
      findings.push(finding("session-id-mixed", entry, entry.sessionId ?? ""));
    }
  }
  return findings;
}

function finding(what: ModelFinding["what"], { file, line }: Entry, about: string): ModelFinding {
  return { what, file, line, about };
}
