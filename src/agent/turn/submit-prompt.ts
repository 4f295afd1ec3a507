import { textIn } from "../../models/internal.ts";
import { defined } from "../../protocol/internal.ts";
import type { TurnResult } from "../session/agent-result.ts";
import { type AgentThread, setTitle } from "../session/agent-session.ts";
import type { InboxItem } from "../session/inbox.ts";
import type { Attachment } from "./attachments.ts";
import { addUserMessage, countTurn, recordNotes, tellModel } from "./channels.ts";
import { blockedPrompt, type ExpandedCommand, expandCommand } from "./custom-commands.ts";
import { fireAndHold } from "./fire-event.ts";
import { runTurn } from "./loop.ts";

/** Handles one prompt or notification, up to the end of its turn. Hooks may drop it before the model gets it. */
export async function answerPrompt(thread: AgentThread, item: InboxItem, signal: AbortSignal): Promise<TurnResult> {
  const { session } = thread;
  const typed = textIn(item.content, "\n");
  session.promptId = session.options.uuid();
  thread.stopActive = false;
  const expanded = item.kind === "prompt" ? await expandCommand(thread, typed, signal) : undefined;
  if (expanded !== undefined && "blocked" in expanded) return dropPrompt(thread, expanded.blocked, expanded.notes);

  const submitted = await fireAndHold(thread, "UserPromptSubmit", { prompt: typed }, { signal });
  const { outcome } = submitted;
  const notes = [...(expanded?.notes ?? []), ...submitted.notes];
  if (outcome.output.sessionTitle !== undefined) await setTitle(session, outcome.output.sessionTitle);
  if (outcome.blocked) {
    const stopped = `Operation stopped by hook: ${outcome.stopReason ?? outcome.reason ?? ""}`;
    return dropPrompt(thread, outcome.continue ? blockedPrompt(outcome, typed) : stopped, notes);
  }
  await recordPrompt(thread, item, expanded);
  await recordNotes(thread, notes);
  const end = await runTurn(thread, signal);
  await thread.journal.note({ type: "last-prompt", lastPrompt: typed, leafUuid: thread.journal.tip });
  return end;
}

/** Ends the turn with a message for the user; the model gets neither the prompt nor the message. */
async function dropPrompt(thread: AgentThread, message: string, notes: readonly Attachment[]): Promise<TurnResult> {
  for (const note of notes) await thread.journal.attach(note);
  await thread.journal.inform(message, "warning");
  return { by: "prompt_blocked", text: message };
}

async function recordPrompt(thread: AgentThread, item: InboxItem, expanded?: ExpandedCommand): Promise<void> {
  const { session, journal } = thread;
  countTurn(thread);
  if (item.source !== "typed") {
    await journal.note({ type: "queue-operation", operation: "enqueue", content: item.content });
    await journal.note({ type: "queue-operation", operation: "dequeue" });
  }
  if (expanded !== undefined) {
    await journal.user(expanded.line);
    await journal.user(expanded.content, { isMeta: true });
    tellModel(thread, [{ type: "text", text: expanded.line }, ...expanded.content]);
    return;
  }
  const kind = item.kind === "news" ? "task-notification" : "human";
  const origin = item.source === "sdk" ? undefined : { kind };
  const fields = { permissionMode: session.permissions.mode(), promptSource: item.source, ...defined({ origin }) };
  await addUserMessage(thread, item.content, fields);
}
