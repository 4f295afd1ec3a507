import { textIn } from "../../models/internal.ts";
import { defined, type Outcome } from "../../protocol/internal.ts";
import type { TurnResult } from "../session/agent-result.ts";
import type { AgentSession, AgentThread } from "../session/agent-session.ts";
import { attachmentsOf, refusalText } from "./attachments.ts";
import type { RecordedAnswer } from "./call-model.ts";
import { recordNotes, tellModelAsHost } from "./channels.ts";
import { fireAndHold } from "./fire-event.ts";

/** Fires Stop or SubagentStop. Returns undefined when a hook continues the turn; its feedback is then in the conversation. */
export async function askToStop(
  thread: AgentThread,
  last: RecordedAnswer,
  signal: AbortSignal,
): Promise<TurnResult | undefined> {
  const { agent, session } = thread;
  const about = {
    ...defined({ agent_id: agent?.id, agent_type: agent?.type }),
    stop_hook_active: thread.stopActive,
    ...defined({ agent_transcript_path: agent?.transcriptPath }),
    last_assistant_message: textIn(last.content),
    background_tasks: backgroundTasks(session, agent?.id),
    session_crons: [],
  };
  const event = agent === undefined ? "Stop" : "SubagentStop";
  const { outcome, notes } = await fireAndHold(thread, event, about, { signal });
  const isDenied = outcome.runs.some(({ verdict }) => verdict.kind === "deny");
  if (outcome.blocked && outcome.continue) {
    thread.stopActive = true;
    if (isDenied) await tellModelAsHost(thread, `${event} hook feedback:\n${refusalText(outcome)}`);
    await recordNotes(thread, notes);
    await recordSummary(thread, outcome);
    return undefined;
  }
  await recordNotes(thread, notes);
  if (session.options.interactive) await recordSummary(thread, outcome);
  const { stopReason = "" } = outcome;
  // Claude Code drops the text when a hook refused the end.
  const text = isDenied ? "" : last.shown;
  if (!outcome.continue) return { by: "stop_hook_prevented", text, reason: stopReason };
  const capped = outcome.warnings.find(({ code }) => code === "stop-cap");
  if (capped === undefined) return { by: "completed", text: last.shown, stopReason: last.stopReason };
  await thread.journal.inform(capped.message, "warning");
  return { by: "stop_hook_cap", text, reason: capped.message };
}

/** The running background tasks other than the thread itself, as the payload of Stop lists them. */
export function backgroundTasks(session: AgentSession, ownId?: string): readonly Record<string, string>[] {
  const { subagents, shells } = session;
  const status = "running";
  const agents = subagents.list().filter((subagent) => subagent.status === status && subagent.agent.id !== ownId);
  const commands = shells.list().filter((shell) => shell.status() === status);
  return [
    ...agents.map(({ agent: { id, description, type: agent_type } }) => {
      return { id, type: "subagent", status, description, agent_type };
    }),
    ...commands.map(({ id, description, command }) => ({ id, type: "shell", status, description, command })),
  ];
}

/** Writes one transcript line about all hooks of the event. */
async function recordSummary(thread: AgentThread, outcome: Outcome): Promise<void> {
  if (outcome.runs.length === 0) return;
  const failures = outcome.runs.flatMap(({ answer }) => answer?.failure ?? []);
  await thread.journal.note({
    type: "system",
    subtype: "stop_hook_summary",
    hookCount: outcome.runs.length,
    hookInfos: outcome.runs.map(({ hook, durationMs }) => ({ command: hook.name, durationMs: Math.round(durationMs) })),
    hookErrors: failures,
    hookAdditionalContext: outcome.additionalContext,
    preventedContinuation: !outcome.continue,
    stopReason: outcome.stopReason ?? "",
    hasOutput: attachmentsOf(outcome, outcome.event, "").length > 0,
    level: "suggestion",
  });
}
