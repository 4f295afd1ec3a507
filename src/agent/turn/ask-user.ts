import { defined, messageOf, type Outcome, showValue } from "../../protocol/internal.ts";
import type { ElicitationAnswer, ElicitationForm, PermissionQuestion, UserAnswer } from "../agent-ports.ts";
import type { AgentThread } from "../session/agent-session.ts";
import { fire, notifyHooks } from "./fire-event.ts";

/** Asks the user for permission, one question at a time. Without a user the call is denied. */
export async function askPermission(
  thread: AgentThread,
  question: PermissionQuestion,
  signal: AbortSignal,
): Promise<UserAnswer> {
  const { user } = thread.session.options;
  const permission = user?.permission?.bind(user);
  if (permission === undefined) {
    const message = `This call needs permission and there is no user to ask (non-interactive): ${question.reason}`;
    return { behavior: "deny", message };
  }
  const fullQuestion: PermissionQuestion = { ...question, ...defined({ subagentType: thread.agent?.type }) };
  try {
    const answer = await oneQuestionAtATime(thread, signal, () => permission(fullQuestion, signal));
    if (answer?.behavior === "allow" || answer?.behavior === "deny") return answer;
    const message = `The permission port answered ${showValue(answer)}, not { behavior: "allow" } or { behavior: "deny" }.`;
    return { behavior: "deny", message };
  } catch (error) {
    if (signal.aborted) throw error;
    return { behavior: "deny", message: `The user could not be asked for permission: ${messageOf(error)}` };
  }
}

/** Asks one question at a time per session. Meanwhile the registry shows `waiting`; after `promptNoticeMs` Notification hooks run. */
export async function oneQuestionAtATime<T>(
  thread: AgentThread,
  signal: AbortSignal,
  ask: () => Promise<T>,
): Promise<T> {
  const { session } = thread;
  const previous = session.lastQuestion;
  const answer = (async () => {
    await previous;
    signal.throwIfAborted();
    const about = { message: "The agent needs your permission", notification_type: "permission_prompt" };
    const notice = setTimeout(() => notifyHooks(thread, "Notification", about), session.options.promptNoticeMs);
    const { registry } = session;
    const { status } = registry;
    await registry.set("waiting", "permission prompt");
    try {
      signal.throwIfAborted();
      return await ask();
    } finally {
      clearTimeout(notice);
      if (registry.status === "waiting") await registry.set(status);
    }
  })();
  // An aborted question does not abort the next one.
  session.lastQuestion = answer.catch(() => undefined);
  return answer;
}

/** Answers a server's request for input: hooks first, else the user, whose answer hooks may replace. Without a user it is cancelled. */
export async function answerElicitation(
  main: AgentThread,
  form: ElicitationForm,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  const named = { mcp_server_name: form.server };
  const about = { ...named, message: form.message, mode: "form", requested_schema: form.schema };
  const byHook = hookAnswer(await fire(main, "Elicitation", about, { signal }));
  if (byHook !== undefined) return byHook;
  const { user } = main.session.options;
  const ask = async (): Promise<ElicitationAnswer> => (await user?.elicit?.(form, signal)) ?? { action: "cancel" };
  const answer = await (user?.elicit === undefined ? ask() : oneQuestionAtATime(main, signal, ask));
  const byResultHook = hookAnswer(
    await fire(main, "ElicitationResult", { ...named, mode: "form", ...answer }, { signal }),
  );
  const message = `Elicitation response for server "${form.server}": ${answer.action}`;
  notifyHooks(main, "Notification", { message, notification_type: "elicitation_response" });
  return byResultHook ?? answer;
}

function hookAnswer({ output: { action, content }, blocked }: Outcome): ElicitationAnswer | undefined {
  if (blocked) return { action: "decline" };
  return action === undefined ? undefined : { action, ...defined({ content }) };
}
