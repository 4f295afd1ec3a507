import type { ContentBlock } from "../../models/internal.ts";
import { defined } from "../../protocol/internal.ts";
import type { TaskIdentity } from "../agent-event.ts";
import { type AgentSession, type AgentThread, taskOf } from "../session/agent-session.ts";
import { resultOfSkippedCall } from "../session/conversation-history.ts";
import type { UserFields } from "../session/journal.ts";
import { type Attachment, textForModel } from "./attachments.ts";
import type { BatchCall } from "./call-model.ts";

// Who hears what: the table in ARCHITECTURE.md names every channel to the model, the observer, the transcript and the hooks.
// The rule: what the model gets is in the transcript in the same order, or is made again from the transcript on resume.

type UserContent = string | readonly ContentBlock[];

/** The model alone. */
export function tellModel(thread: AgentThread, content: UserContent): void {
  thread.messages.push({ role: "user", content });
}

/** A user message: a line of the transcript, and the same for the model. */
export async function addUserMessage(thread: AgentThread, content: UserContent, fields?: UserFields): Promise<string> {
  const uuid = await thread.journal.user(content, fields);
  tellModel(thread, content);
  return uuid;
}

/** A sentence of the host in the role of the user. */
export function tellModelAsHost(thread: AgentThread, text: string): Promise<string> {
  return addUserMessage(thread, text, { isMeta: true });
}

/** Asks the model again because its answer cannot be used. The observer of the main thread sees why, and it counts as a turn. */
export async function askModelAgain(thread: AgentThread, text: string): Promise<void> {
  const uuid = await tellModelAsHost(thread, text);
  if (thread.agent !== undefined) return;
  countTurn(thread);
  const content = [{ type: "text" as const, text }];
  thread.session.report({ kind: "user", content, uuid, synthetic: true, parentToolUseId: null });
}

/** Calls of an answer that ends the turn are not run. The next turn of this conversation needs a result for each. */
export function answerSkippedCalls(thread: AgentThread, calls: readonly BatchCall[]): void {
  const results = calls.map(({ call }) => resultOfSkippedCall(call.id));
  if (results.length > 0) tellModel(thread, results);
}

/** What hooks answered and what arrived meanwhile: attachments of the transcript, and for the model the part that is meant for it. */
export async function recordNotes(thread: AgentThread, notes: readonly Attachment[]): Promise<void> {
  for (const note of notes) {
    await thread.journal.attach(note);
    const text = textForModel(note);
    if (text !== undefined) tellModel(thread, [{ type: "text", text }]);
  }
}

/** A message in the transcript alone. The observer gets a notice only when it cannot be written. */
export function noteInTranscript({ journal, session }: AgentThread, content: string): void {
  journal.inform(content, "info").catch((error: unknown) => {
    session.notice(`The transcript cannot be written: ${String(error)}`, "error");
  });
}

/** A warning for the observer, once per session. */
export function noticeOnce({ notices, notice }: AgentSession, text: string): void {
  if (notices.has(text)) return;
  notices.add(text);
  notice(text, "warning");
}

/** Prompts, tool results and repeated questions of the main thread are the turns of the result object. */
export function countTurn({ session, agent }: AgentThread): void {
  if (agent === undefined) session.turns += 1;
}

/** Whose line it is, for events to the observer. */
export function lineOwner(thread: AgentThread): { agent?: TaskIdentity; parentToolUseId: string | null } {
  const agent = taskOf(thread);
  return { ...defined({ agent }), parentToolUseId: thread.agent?.toolUseId ?? null };
}
