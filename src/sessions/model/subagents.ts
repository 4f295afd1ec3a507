import { defined, fieldOf } from "../../protocol/internal.ts";
import type { SubagentMeta } from "../home/claude-code-json.ts";
import { agentIdIn, type PairedTools } from "./pair-tool-calls.ts";
import type { SessionToolCall, TaskNotification } from "./session-tool-call.ts";
import { buildConversation, type Conversation, type ConversationDraft } from "./transcript-conversation.ts";

/** How an agent was linked to the call that started it. */
export type SubagentLink = "meta" | "result" | "notification" | "parent" | "workflow" | "name" | "prompt" | "none";

/** Where a subagent's lines were found. */
export interface SubagentOrigin {
  readonly id: string;
  readonly file: string;
  readonly meta?: SubagentMeta;
  readonly run?: string;
  /** The session that has its file, when that is another one. */
  readonly borrowedFrom?: string;
}

/** A subagent with its own conversation. */
export interface Subagent extends SubagentOrigin {
  /** Its lines are in the main transcript, as older versions wrote them. */
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

/** An agent before it is linked to the call that started it. */
export interface SubagentDraft extends SubagentOrigin, Pick<Subagent, "inline"> {
  readonly draft: ConversationDraft;
}

/** `cut` has the ids of agents that were their own ancestors before the cycle was cut. */
export function linkSubagents(
  drafts: readonly SubagentDraft[],
  tools: PairedTools,
): { agents: readonly Subagent[]; cut: readonly string[] } {
  const links = new Map<SubagentDraft, Link>();
  const linkedCalls = new Set<string>();
  // The most certain rule first, for all agents: a guess by prompt must not use a call that belongs to another agent.
  for (const rule of linkRules(tools, linkedCalls)) {
    for (const draft of drafts) {
      if (links.has(draft)) continue;
      const link = rule(draft);
      if (link === undefined) continue;
      links.set(draft, link);
      if (link.toolCall !== undefined) linkedCalls.add(link.toolCall.id);
    }
  }
  const { parents, cut } = parentsOf(drafts, links);
  const agents = drafts.map((subagent) => {
    const { draft, ...origin } = subagent;
    const { toolCall, linkedBy } = links.get(subagent) ?? { linkedBy: "none" };
    const report = toolCall?.report ?? tools.reports.findLast(({ taskId }) => taskId === origin.id);
    return {
      ...origin,
      thread: buildConversation(draft, tools.of(draft)),
      linkedBy,
      ...defined({ toolCall, parentId: parents.get(origin.id) }),
      depth: depthOf(origin.id, parents),
      background: toolCall?.background ?? false,
      ...defined({ report }),
      children: [] as Subagent[],
    };
  });
  const byId = new Map(agents.map((agent) => [agent.id, agent]));
  for (const agent of agents) if (agent.parentId !== undefined) byId.get(agent.parentId)?.children.push(agent);
  return { agents, cut };
}

type Link = Pick<Subagent, "linkedBy" | "toolCall" | "parentId">;

type LinkRule = (draft: SubagentDraft) => Link | undefined;

function linkRules(tools: PairedTools, linkedCalls: ReadonlySet<string>): LinkRule[] {
  const agentCalls = tools.toolCalls.filter(({ name }) => name === "Agent" || name === "Task");
  const byAgent = new Map(tools.toolCalls.map((tool) => [agentIdIn(tool), tool]));
  const byTask = new Map<string, SessionToolCall | undefined>();
  for (const { taskId, toolUseId } of tools.reports) {
    if (taskId && toolUseId) byTask.set(taskId, tools.byId.get(toolUseId));
  }
  const linkBy = (linkedBy: SubagentLink, toolCall: SessionToolCall | undefined): Link | undefined =>
    toolCall && { linkedBy, toolCall };
  return [
    ({ meta }) => linkBy("meta", tools.byId.get(meta?.toolUseId ?? "")),
    ({ id }) => linkBy("result", byAgent.get(id)),
    ({ id }) => linkBy("notification", byTask.get(id)),
    ({ meta }) =>
      meta?.parentAgentId === undefined ? undefined : { linkedBy: "parent", parentId: meta.parentAgentId },
    ({ run }) =>
      linkBy("workflow", run === undefined ? undefined : tools.toolCalls.find((tool) => startedRun(tool, run))),
    ({ meta }) => {
      if (meta?.name === undefined || meta.toolUseId !== undefined) return undefined;
      const starter = agentCalls.find((tool) => fieldOf(tool.input, "name") === meta.name);
      return linkBy("name", starter);
    },
    ({ draft }) => {
      const prompt = firstPrompt(draft);
      if (prompt === undefined) return undefined;
      const starter = agentCalls.find((tool) => fieldOf(tool.input, "prompt") === prompt && !linkedCalls.has(tool.id));
      return linkBy("prompt", starter);
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
  const ids = new Set(drafts.map(({ id }) => id));
  const parents = new Map<string, string>();
  for (const draft of drafts) {
    const link = links.get(draft);
    const parent = link?.toolCall?.agentId ?? link?.parentId;
    if (parent !== undefined && ids.has(parent)) parents.set(draft.id, parent);
  }
  const cut: string[] = [];
  for (const { id } of drafts) {
    const visited = new Set([id]);
    for (let at = parents.get(id); at !== undefined; at = parents.get(at)) {
      if (at === id) {
        parents.delete(id);
        cut.push(id);
        break;
      }
      if (visited.has(at)) break;
      visited.add(at);
    }
  }
  return { parents, cut };
}

function depthOf(id: string, parents: ReadonlyMap<string, string>): number {
  let depth = 1;
  for (let at = parents.get(id); at !== undefined; at = parents.get(at)) depth++;
  return depth;
}
