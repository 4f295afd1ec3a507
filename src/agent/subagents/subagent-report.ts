import { blocksIn, noUsage, type ToolUseBlock, textIn } from "../../models/internal.ts";
import { defined } from "../../protocol/internal.ts";
import type { TaskStep, TaskUsage } from "../agent-event.ts";
import type { TurnResult } from "../session/agent-result.ts";
import type { AgentThread, SubagentIdentity, SubagentThread } from "../session/agent-session.ts";
import { type InboxItem, tags, taskNotification } from "../session/inbox.ts";
import { apiUsage } from "../session/journal.ts";
import { toolSummary } from "../tools/tool.ts";

export type SubagentReport = ReturnType<typeof reportOf>;

/** The result of a subagent, as the tool that started it reports it. */
export function reportOf(
  thread: SubagentThread,
  end: TurnResult,
  { prompt, startedAt }: { prompt: string; startedAt: number },
) {
  const { agent, model, session, contextTokens, maxCalls } = thread;
  const limit = `\n[The agent reached its limit of ${maxCalls} turns and may not have finished.]`;
  const text = `${end.text || lastText(thread)}${end.by === "max_turns" ? limit : ""}`;
  return {
    status: "completed",
    prompt,
    agentId: agent.id,
    agentType: agent.type,
    content: [{ type: "text" as const, text }],
    resolvedModel: model.name,
    totalDurationMs: Math.round(session.options.clock.now() - startedAt),
    totalTokens: contextTokens,
    totalToolUseCount: callsIn(thread),
    usage: apiUsage(thread.lastUsage ?? noUsage),
    ...defined({ worktreePath: agent.worktree?.path, worktreeBranch: agent.worktree?.branch }),
  };
}

/** The last text of the agent, whatever ended its turn. */
function lastText({ messages }: AgentThread): string {
  return textIn(messages.findLast(({ role }) => role === "assistant")?.content ?? "");
}

function callsIn({ messages }: AgentThread): number {
  return messages.flatMap(blocksIn).filter(({ type }) => type === "tool_use").length;
}

/** The notification for the main thread that a background subagent has ended. */
export function subagentNotification(agent: SubagentIdentity, report: SubagentReport, status: string): InboxItem {
  const { totalTokens, totalToolUseCount, totalDurationMs, worktreePath, worktreeBranch } = report;
  const usage = { subagent_tokens: totalTokens, tool_uses: totalToolUseCount, duration_ms: totalDurationMs };
  // The subagent's text cannot close the tags around it.
  const result = textIn(report.content, "\n").replace(/<(?=\/(?:result|task-notification)>)/gi, "&lt;");
  return taskNotification({
    "task-id": agent.id,
    "tool-use-id": agent.toolUseId,
    "output-file": agent.transcriptPath,
    status,
    summary: `Agent "${agent.description}" ${status === "completed" ? "finished" : status}`,
    result,
    usage: tags(usage),
    ...(worktreePath === undefined ? {} : { worktree: tags(defined({ worktreePath, worktreeBranch })) }),
  });
}

/** Reports to the observer what a subagent is doing. */
export function reportSubagentStep({ session, agent }: SubagentThread, step: TaskStep): void {
  const { id, type, description, toolUseId } = agent;
  session.report({ kind: "task", step, task: { id, type, description }, toolUseId });
}

export function reportSubagentCall(thread: SubagentThread, { name, input }: ToolUseBlock): void {
  const subject = toolSummary(input);
  const about = name === "Bash" ? `Running ${subject}` : `${name} ${subject}`.trim();
  reportSubagentStep(thread, { is: "progress", tool: name, about, usage: usageOf(thread) });
}

export function reportSubagentEnd(thread: SubagentThread, end: TurnResult): void {
  const { background, description, transcriptPath } = thread.agent;
  const status = endStatus[end.by] ?? "completed";
  const about = background ? { summary: end.text, file: transcriptPath } : { summary: description, file: "" };
  reportSubagentStep(thread, { is: "ended", status, ...about, usage: usageOf(thread) });
}

const endStatus: { readonly [By in TurnResult["by"]]?: "killed" | "failed" } = {
  interrupted: "killed",
  api_error: "failed",
};

function usageOf(thread: SubagentThread): TaskUsage {
  const { agent, session, contextTokens } = thread;
  const durationMs = Math.round(session.options.clock.now() - agent.startedAt);
  return { tokens: contextTokens, toolUses: callsIn(thread), durationMs };
}
