import type { AgentThread } from "../session/agent-session.ts";
import { toolPaths } from "../session/session-record.ts";
import type { TaskNotice, ToolContext } from "../tools/tool.ts";
import { worktreePort } from "../worktree/session-worktree.ts";
import { type Attachment, refusalText } from "./attachments.ts";
import { fireAndHold } from "./fire-event.ts";

/** What a thread provides for one tool call. Attachments that result from the run are added to `notes`. */
export function toolContext(
  thread: AgentThread,
  toolUseId: string,
  signal: AbortSignal,
  notes: Attachment[],
): ToolContext {
  const { session, agent } = thread;
  const { options, record, workspace } = session;

  async function taskEvent(event: "TaskCreated" | "TaskCompleted", task: TaskNotice) {
    const about = {
      task_id: task.id,
      task_subject: task.subject,
      task_description: task.description,
      ...(agent?.name === undefined ? {} : { teammate_name: agent.name, team_name: record.team }),
    };
    const { outcome, notes: hookNotes } = await fireAndHold(thread, event, about, { signal, toolUseId });
    notes.push(...hookNotes);
    return outcome.blocked ? `${event} hook feedback:\n${refusalText(outcome)}` : undefined;
  }

  return {
    sessionId: record.id,
    ...(agent === undefined ? {} : { agentId: agent.id }),
    toolUseId,
    signal,
    cwd: () => thread.cwd,
    moveTo: (folder, stayAt) => workspace.move(thread, folder, stayAt),
    projectRoot: options.cwd,
    directories: () => session.directories,
    env: session.toolEnv,
    envFiles: () => workspace.envFiles(),
    paths: toolPaths(session),
    mayRead: (path) => session.permissions.mayRead(path, thread.cwd),
    readState: thread.readState,
    shells: session.shells,
    now: options.clock.now,
    newId: record.newTaskId,
    tell: (text) => session.notice(text, "info"),
    fileTouched: (path) => workspace.touched(thread, path, notes),
    taskCreated: (task) => taskEvent("TaskCreated", task),
    taskCompleted: (task) => taskEvent("TaskCompleted", task),
    worktrees: worktreePort(thread, signal),
  };
}
