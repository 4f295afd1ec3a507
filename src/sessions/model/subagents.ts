import { defined, fieldOf } from "../../protocol/internal.ts";
import type { SubagentMeta } from "../home/client-json.ts";
import { agentIdIn, type PairedTools } from "./pair-tool-calls.ts";
import type { SessionToolCall, TaskNotification } from "./session-tool-call.ts";
import type { Conversation, ConversationDraft } from "./transcript-conversation.ts";

/** How an agent was joined to what started it. */
export type SubagentLink = "meta" | "result" | "notification" | "parent" | "workflow" | "name" | "prompt" | "none";

/** Where a subagent's lines were found. */
export interface SubagentOrigin {
  readonly id: string;
  readonly file: string;
  readonly meta?: SubagentMeta;
  readonly run?: string;
  /** The session whose folder holds its file, when that is another one. */
  readonly borrowedFrom?: string;
}

/** A subagent with its own conversation. */
export interface Subagent extends SubagentOrigin {
  /** Its lines stand inside the main transcript, as older versions wrote them. */
  readonly inline: boolean;
  readonly thread: Conversation;
  readonly linkedBy: SubagentLink;
  readonly toolCall?: SessionToolCall;
  /** The agent that started it; absent when the main conversation did. */
  readonly parentId?: string;
  /** 1 for an agent of the main conversation. */
  readonly depth: number;
  readonly background: boolean;
  /** Its last report, where it ran in the background. */
  readonly report?: TaskNotification;
  readonly children: readonly Subagent[];
}

/** An agent whose starter is not known yet. */
export interface SubagentDraft extends SubagentOrigin, Pick<Subagent, "inline"> {
  readonly draft: ConversationDraft;
}

export interface LinkedSubagents {
  readonly agents: readonly Subagent[];
  /** Ids of agents that were their own ancestors until the ring was cut. */
  readonly cut: readonly string[];
}

export function linkSubagents(
  drafts: readonly SubagentDraft[],
  tools: PairedTools,
  threadFor: (draft: ConversationDraft) => Conversation,
): LinkedSubagents {
  const links = new Map<SubagentDraft, Link>();
  const taken = new Set<string>();
  // Sure links first, for every agent: a guess by prompt must not take the call that another one names.
  for (const rule of rules(tools, taken)) {
    for (const draft of drafts) {
      if (links.has(draft)) continue;
      const link = rule(draft);
      if (link === undefined) continue;
      links.set(draft, link);
      if (link.toolCall !== undefined) taken.add(link.toolCall.id);
    }
  }
  const { parents, cut } = parentsOf(drafts, links);
  return { agents: assemble(drafts, links, parents, tools, threadFor), cut };
}

interface Link {
  readonly linkedBy: SubagentLink;
  readonly toolCall?: SessionToolCall;
  readonly parentId?: string;
}

type Rule = (draft: SubagentDraft) => Link | undefined;

function rules(tools: PairedTools, taken: ReadonlySet<string>): Rule[] {
  const starters = tools.toolCalls.filter(({ name }) => name === "Agent" || name === "Task");
  const byAgent = new Map(
    tools.toolCalls.flatMap((tool) => (agentIdIn(tool) === undefined ? [] : [[agentIdIn(tool), tool]])),
  );
  const byTask = new Map(
    tools.reports.flatMap(({ taskId, toolUseId }) =>
      taskId && toolUseId ? [[taskId, tools.byId.get(toolUseId)]] : [],
    ),
  );
  const by = (linkedBy: SubagentLink, toolCall: SessionToolCall | undefined): Link | undefined =>
    toolCall === undefined ? undefined : { linkedBy, toolCall };
  return [
    ({ meta }) => by("meta", tools.byId.get(meta?.toolUseId ?? "")),
    ({ id }) => by("result", byAgent.get(id)),
    ({ id }) => by("notification", byTask.get(id)),
    ({ meta }) =>
      meta?.parentAgentId === undefined ? undefined : { linkedBy: "parent", parentId: meta.parentAgentId },
    ({ run }) =>
      run === undefined
        ? undefined
        : by(
            "workflow",
            tools.toolCalls.find((tool) => startedRun(tool, run)),
          ),
    ({ meta }) =>
      meta?.name === undefined || meta.toolUseId !== undefined
        ? undefined
        : by(
            "name",
            starters.find((tool) => fieldOf(tool.input, "name") === meta.name),
          ),
    ({ draft }) => {
      const prompt = firstPrompt(draft);
      if (prompt === undefined) return undefined;
      return by(
        "prompt",
        starters.find((tool) => fieldOf(tool.input, "prompt") === prompt && !taken.has(tool.id)),
      );
    },
  ];
}

function startedRun(tool: SessionToolCall, run: string): boolean {
  if (tool.name !== "Workflow") return false;
  if (["runId", "run_id", "workflowRunId", "id"].some((key) => fieldOf(tool.structured, key) === run)) return true;
  return tool.output.some((block) => block.type === "text" && block.text.includes(run));
}

function firstPrompt({ entries }: ConversationDraft): string | undefined {
  const first = entries.find((entry) => entry.kind === "user");
  const block = first?.kind === "user" ? first.content[0] : undefined;
  return block?.type === "text" ? block.text : undefined;
}

function parentsOf(drafts: readonly SubagentDraft[], links: ReadonlyMap<SubagentDraft, Link>) {
  const known = new Set(drafts.map(({ id }) => id));
  const parents = new Map<string, string>();
  for (const draft of drafts) {
    const link = links.get(draft);
    const parent = link?.toolCall?.agentId ?? link?.parentId;
    if (parent !== undefined && known.has(parent)) parents.set(draft.id, parent);
  }
  const cut: string[] = [];
  for (const { id } of drafts) {
    const seen = new Set([id]);
    for (let at = parents.get(id); at !== undefined; at = parents.get(at)) {
      if (at === id) {
        parents.delete(id);
        cut.push(id);
        break;
      }
      if (seen.has(at)) break;
      seen.add(at);
    }
  }
  return { parents, cut };
}

function assemble(
  drafts: readonly SubagentDraft[],
  links: ReadonlyMap<SubagentDraft, Link>,
  parents: ReadonlyMap<string, string>,
  tools: PairedTools,
  threadFor: (draft: ConversationDraft) => Conversation,
): Subagent[] {
  const children = new Map<string, Subagent[]>();
  const agents = drafts.map((one): Subagent => {
    const { draft, ...place } = one;
    const link = links.get(one) ?? { linkedBy: "none" as const };
    const parentId = parents.get(one.id);
    const report = link.toolCall?.report ?? tools.reports.findLast(({ taskId }) => taskId === one.id);
    const own: Subagent[] = [];
    children.set(one.id, own);
    return {
      ...place,
      thread: threadFor(draft),
      linkedBy: link.linkedBy,
      ...defined({ toolCall: link.toolCall, parentId }),
      depth: depthOf(one.id, parents),
      background: link.toolCall?.background ?? false,
      ...(report === undefined ? {} : { report }),
      children: own,
    };
  });
  for (const agent of agents) if (agent.parentId !== undefined) children.get(agent.parentId)?.push(agent);
  return agents;
}

function depthOf(id: string, parents: ReadonlyMap<string, string>): number {
  let depth = 1;
  for (let at = parents.get(id); at !== undefined; at = parents.get(at)) depth++;
  return depth;
}
