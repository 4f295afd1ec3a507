import type { TaskStep, TaskUsage } from "./agent-event.ts";
import type { TurnEnd } from "./loop.ts";
import { type Thread, taskOf } from "./thread.ts";

/** Tells observers what a subagent is doing; nothing for the main thread. */
export function tellTask(thread: Thread, step: TaskStep): void {
  const task = taskOf(thread);
  if (task === undefined || thread.purpose !== "subagent") return;
  thread.session.tell({ kind: "task", step, task, toolUseId: thread.agent?.toolUseId ?? "" });
}

export function tellTaskEnd(thread: Thread, end: TurnEnd): void {
  const { agent } = thread;
  const failed = end.by === "api_error";
  const status = end.by === "interrupted" ? "killed" : failed ? "failed" : "completed";
  const background = agent?.background === true;
  const summary = background ? end.text : (agent?.description ?? "");
  const file = background ? (agent?.transcriptPath ?? "") : "";
  tellTask(thread, { is: "ended", status, summary, file, usage: usageOf(thread) });
}

export function usageOf(thread: Thread): TaskUsage {
  const { agent, session, contextTokens, messages } = thread;
  const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  return {
    tokens: contextTokens,
    toolUses: blocks.filter(({ type }) => type === "tool_use").length,
    durationMs: Math.round(session.options.clock.now() - (agent?.startedAt ?? session.options.clock.now())),
  };
}
