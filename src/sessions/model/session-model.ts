import type { SessionFiles, SessionPlace } from "../find/session-files.ts";
import { type Drift, driftOf } from "../formats/claude-code/format-drift.ts";
import { answerIn } from "../formats/claude-code/to-entry.ts";
import type { Entry, Item, Unreadable } from "./entry.ts";
import type { Linked } from "./entry-graph.ts";
import { type Call, callsOf, keyOf } from "./model-call.ts";
import { pairTools } from "./pair-tool-calls.ts";
import type { ToolCall } from "./session-tool-call.ts";
import { type Agent, type AgentDraft, type AgentOrigin, linkAgents } from "./subagents.ts";
import { type Draft, draftOf, once, type Thread, takeSidechains, threadOf } from "./transcript-conversation.ts";

/** The files of one session, read. The order of `agents` does not matter. */
export interface SessionContent {
  readonly place: SessionPlace;
  readonly files: SessionFiles;
  readonly main: readonly Item[];
  readonly agents: readonly AgentContent[];
}

export interface AgentContent extends AgentOrigin {
  readonly items: readonly Item[];
}

/** A whole session: its conversation, its agents', and indexes over all of them. */
export interface SessionModel {
  readonly id: string;
  readonly place: SessionPlace;
  readonly files: SessionFiles;
  readonly main: Thread;
  /** Every agent at any depth, by the time it began. */
  readonly agents: readonly Agent[];
  /** Calls of every conversation, each once; those that stand only in `progress` lines come last. */
  readonly calls: readonly OwnedCall[];
  readonly toolCalls: readonly ToolCall[];
  readonly unreadable: readonly Unreadable[];
  readonly findings: readonly Finding[];
  byUuid(uuid: string): Entry | undefined;
  childrenOf(uuid: string): readonly Entry[];
  call(messageId: string): Call | undefined;
  toolCall(id: string): ToolCall | undefined;
  agent(id: string): Agent | undefined;
  drift(): readonly Drift[];
}

export interface OwnedCall {
  readonly call: Call;
  /** Absent for the main conversation. */
  readonly agentId?: string;
}

/** Something a reader had to decide or a writer did wrong; the checks of `validate` say more. */
export interface Finding {
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
  const mainDraft = draftOf(main);
  const drafts = agentDrafts(content, chains);
  const tools = pairTools([mainDraft, ...drafts.map(({ draft }) => draft)]);
  const threads = new Map<Draft, Thread>();
  const threadFor = (draft: Draft) => {
    const thread = threads.get(draft) ?? threadOf(draft, tools.of(draft));
    threads.set(draft, thread);
    return thread;
  };
  const { agents, cut } = linkAgents(drafts, tools, threadFor);
  const all = [threadFor(mainDraft), ...agents.map(({ thread }) => thread)];
  const calls = once(() => callsOver(all));
  const callIndex = once(() => new Map(calls().map(({ call }) => [call.key, call])));
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
      return graph.childrenOf(graph.indexOf(uuid) ?? -1).map((index) => graph.nodes[index] as Linked);
    },
    call: (messageId) => callIndex().get(messageId),
    toolCall: (id) => tools.byId.get(id),
    agent: (id) => agentIndex.get(id),
    drift: () => driftOf(all.flatMap(({ items }) => items)),
  };
}

function agentDrafts(content: SessionContent, chains: readonly { id: string; items: readonly Item[] }[]): AgentDraft[] {
  const inFiles = content.agents.map(({ items, ...place }) => ({
    ...place,
    inline: false,
    draft: draftOf(items, place.id),
  }));
  const inMain = chains.map(({ id, items }) => ({
    id,
    file: content.files.main,
    inline: true,
    draft: draftOf(items, id),
  }));
  return [...inFiles, ...inMain].sort(byBeginning);
}

/** Any order of files gives the same model. */
function byBeginning(a: AgentDraft, b: AgentDraft): number {
  const [first, second] = [a, b].map(
    ({ draft, id }) => `${draft.entries.find((entry) => entry.timestamp)?.timestamp ?? ""} ${id}`,
  );
  return (first ?? "") < (second ?? "") ? -1 : 1;
}

function callsOver(threads: readonly Thread[]): OwnedCall[] {
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
  const lost = callsOf(copies.filter((copy) => !held.has(keyOf(copy)))).map((call) => ({ call }));
  return [...[...held.values()].flatMap(weighed), ...lost];
}

/** A call and the conversation it was found in. One agent may have two: a migration that was cut short leaves it in two files. */
interface HeldCall extends OwnedCall {
  readonly thread: Thread;
}

const none: readonly never[] = [];

/** Calls of one key. Where several conversations hold it all their lines weigh, and the first one with such a line has it. */
function weighed(held: readonly HeldCall[]): readonly OwnedCall[] {
  if (held.every(({ thread }) => thread === held[0]?.thread)) return held.map(({ thread: _, ...owned }) => owned);
  return callsOf(held.flatMap(({ call }) => call.lines)).map((call) => {
    const lines = new Set(call.lines);
    const agentId = held.find((one) => one.call.lines.some((line) => lines.has(line)))?.agentId;
    return { call, ...(agentId === undefined ? {} : { agentId }) };
  });
}

function mixedIds(id: string, threads: readonly Thread[]): Finding[] {
  const seen = new Set<string | undefined>([id, undefined]);
  const findings: Finding[] = [];
  for (const { entries } of threads) {
    for (const entry of entries) {
      if (seen.has(entry.sessionId)) continue;
      seen.add(entry.sessionId);
      findings.push(finding("session-id-mixed", entry, entry.sessionId ?? ""));
    }
  }
  return findings;
}

function finding(what: Finding["what"], { file, line }: Entry, about: string): Finding {
  return { what, file, line, about };
}
