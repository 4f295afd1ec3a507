import type { ContentBlock } from "../../models/internal.ts";
import type { TaskIdentity } from "../agent-event.ts";
import type { AgentSession, AgentThread } from "../session/agent-session.ts";
import { type BatchCall, resultOfSkippedCall } from "../session/conversation-history.ts";
import type { UserFields } from "../session/journal.ts";
import { type Attachment, textForModel } from "./attachments.ts";

// The table in ARCHITECTURE.md lists every channel to the model, the observer, the transcript and the hooks.
// Everything that the model gets is in the transcript in the same order, or is rebuilt from the transcript on resume.

type UserContent = string | readonly ContentBlock[];

/** Adds a message for the model only. */
export function tellModel(thread: AgentThread, content: UserContent): void {
  thread.messages.push({ role: "user", content });
}

/** Adds a user message to the transcript and for the model. */
export async function addUserMessage(thread: AgentThread, content: UserContent, fields?: UserFields): Promise<string> {
  const uuid = await thread.journal.user(content, fields);
  tellModel(thread, content);
  return uuid;
}

/** Adds a message of the agent itself in the role of the user. */
export function tellModelAsHost(thread: AgentThread, text: string): Promise<string> {
  return addUserMessage(thread, text, { isMeta: true });
}

/** Asks the model again because its answer cannot be used. On the main thread it is reported and counts as a turn. */
export async function askModelAgain(thread: AgentThread, text: string): Promise<void> {
  const uuid = await tellModelAsHost(thread, text);
  if (thread.agent !== undefined) return;
  countTurn(thread);
  const content = [{ type: "text" as const, text }];
  thread.session.report({ kind: "user", content, uuid, synthetic: true, parentToolUseId: null });
}

/** Adds a result for each call that is not run because the turn ends: the API requires one. */
export function answerSkippedCalls(thread: AgentThread, calls: readonly BatchCall[]): void {
  const results = calls.map(({ call }) => resultOfSkippedCall(call.id));
  if (results.length > 0) tellModel(thread, results);
}

/** Adds attachments to the transcript, and their text for the model if they have one. */
export async function recordNotes(thread: AgentThread, notes: readonly Attachment[]): Promise<void> {
  for (const note of notes) {
    await thread.journal.attach(note);
    const text = textForModel(note);
    if (text !== undefined) tellModel(thread, [{ type: "text", text }]);
  }
}

/** Gives a thread, before its next model call, the answers of background hooks, notifications, and messages for a subagent. */
export async function takeNotifications(thread: AgentThread): Promise<void> {
  const { engine, record, inbox } = thread.session;
  for (const message of thread.agent?.mail.splice(0) ?? []) await tellModelAsHost(thread, message);
  if (thread.agent !== undefined) return;
  const finishedHooks = engine.background.take(record.id);
  const answers = finishedHooks.map(({ id, hook, occasion, texts, record: { stdout, stderr, ended } }) => ({
    type: "async_hook_response",
    processId: id,
    hookName: occasion,
    hookEvent: hook.event,
    response: { hookSpecificOutput: { hookEventName: hook.event, additionalContext: texts.join("\n") } },
    stdout,
    stderr,
    exitCode: ended.by === "exit" ? ended.code : null,
  }));
  const notifications: Attachment[] = [];
  for (const { content } of inbox.takeNotifications()) {
    await thread.journal.note({ type: "queue-operation", operation: "remove" });
    notifications.push({ type: "queued_command", prompt: content, commandMode: "task-notification" });
  }
  await recordNotes(thread, [...answers, ...notifications]);
}

/** Adds a message to the transcript only. The observer gets a notice if it cannot be written. */
export function noteInTranscript({ journal, session }: AgentThread, content: string): void {
  journal.inform(content, "info").catch((error: unknown) => {
    session.notice(`The transcript cannot be written: ${String(error)}`, "error");
  });
}

/** Sends a warning to the observer, once per session. */
export function noticeOnce({ notices, notice }: AgentSession, text: string): void {
  if (notices.has(text)) return;
  notices.add(text);
  notice(text, "warning");
}

/** Counts a prompt, a tool result or a repeated question of the main thread as a turn of the result object. */
export function countTurn({ session, agent }: AgentThread): void {
  if (agent === undefined) session.turns += 1;
}

/** The subagent of a line, for events to the observer. */
export function lineOwner({ agent }: AgentThread): { agent?: TaskIdentity; parentToolUseId: string | null } {
  if (agent === undefined) return { parentToolUseId: null };
  const { id, type, description, toolUseId } = agent;
  return { agent: { id, type, description }, parentToolUseId: toolUseId };
}
