import { blocksIn, noUsage, textIn } from "../../models/internal.ts";
import { defined } from "../../protocol/internal.ts";
import type { TaskStep, TaskUsage } from "../agent-event.ts";
import { type AgentThread, taskOf } from "../session/agent-session.ts";
import { apiUsage } from "../session/journal.ts";
import type { TurnResult } from "../turn/loop.ts";

export type SubagentReport = ReturnType<typeof reportOf>;

/** The result of a subagent, as the tool that started it reports it. */
export function reportOf(
  thread: AgentThread,
  end: TurnResult,
  { prompt, startedAt }: { prompt: string; startedAt: number },
) {
  const { agent, model, session, contextTokens } = thread;
  return {
    status: "completed",
    prompt,
    agentId: agent?.id ?? "",
    agentType: agent?.type ?? "",
    content: [{ type: "text" as const, text: `${end.text || lastText(thread)}${cutOff(thread, end)}` }],
    resolvedModel: model.name,
    totalDurationMs: Math.round(session.options.clock.now() - startedAt),
    totalTokens: contextTokens,
    totalToolUseCount: callsIn(thread),
    usage: apiUsage(thread.lastUsage ?? noUsage),
    ...defined({ worktreePath: agent?.worktree?.path, worktreeBranch: agent?.worktree?.branch }),
  };
}

function cutOff({ maxCalls }: AgentThread, { by }: TurnResult): string {
  return by === "max_turns" ? `\n[The agent reached its limit of ${maxCalls} turns and may not have finished.]` : "";
}

/** The last text of the agent, whatever ended its turn. */
function lastText({ messages }: AgentThread): string {
  const last = messages.findLast(({ role }) => role === "assistant");
  return last === undefined ? "" : textIn(last.content);
}

function callsIn({ messages }: AgentThread): number {
  return messages.flatMap(blocksIn).filter(({ type }) => type === "tool_use").length;
}

/** The notification for the main thread that a background subagent has ended. */
export function subagentNotification(
  report: SubagentReport,
  about: { description: string; toolUseId: string; outputFile: string },
  status: string,
): string {
  // The subagent's text cannot close the tags around it.
  const text = report.content
    .map((block) => block.text)
    .join("\n")
    .replace(/<(?=\/(?:result|task-notification)>)/gi, "&lt;");
  return `<task-notification>
<task-id>${report.agentId}</task-id>
<tool-use-id>${about.toolUseId}</tool-use-id>
<output-file>${about.outputFile}</output-file>
<status>${status}</status>
<summary>Agent "${about.description}" ${status === "completed" ? "finished" : status}</summary>
<result>${text}</result>
<usage><subagent_tokens>${report.totalTokens}</subagent_tokens><tool_uses>${report.totalToolUseCount}</tool_uses><duration_ms>${report.totalDurationMs}</duration_ms></usage>${placeOf(report)}
</task-notification>`;
}

function placeOf({ worktreePath, worktreeBranch }: SubagentReport): string {
  if (worktreePath === undefined) return "";
  const branch = worktreeBranch === undefined ? "" : `<worktreeBranch>${worktreeBranch}</worktreeBranch>`;
  return `\n<worktree><worktreePath>${worktreePath}</worktreePath>${branch}</worktree>`;
}

/** Reports to the observer what a subagent is doing; nothing for the main thread. */
export function reportSubagentStep(thread: AgentThread, step: TaskStep): void {
  const task = taskOf(thread);
  if (task === undefined || thread.purpose !== "subagent") return;
  thread.session.report({ kind: "task", step, task, toolUseId: thread.agent?.toolUseId ?? "" });
}

export function reportSubagentEnd(thread: AgentThread, end: TurnResult): void {
  const { agent } = thread;
  const status = endStatus[end.by] ?? "completed";
  const background = agent?.background === true;
  const summary = background ? end.text : (agent?.description ?? "");
  const file = background ? (agent?.transcriptPath ?? "") : "";
  reportSubagentStep(thread, { is: "ended", status, summary, file, usage: subagentUsage(thread) });
}

const endStatus: { readonly [By in TurnResult["by"]]?: "killed" | "failed" } = {
  interrupted: "killed",
  api_error: "failed",
};

export function subagentUsage(thread: AgentThread): TaskUsage {
  const { agent, session, contextTokens } = thread;
  return {
    tokens: contextTokens,
    toolUses: callsIn(thread),
    durationMs: Math.round(session.options.clock.now() - (agent?.startedAt ?? session.options.clock.now())),
  };
}
