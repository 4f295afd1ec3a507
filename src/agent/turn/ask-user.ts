import type { Question } from "../../engine/internal.ts";
import { defined, messageOf, type Outcome, type PermissionUpdate, type ToolInput } from "../../protocol/internal.ts";
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
    if (["allow", "deny"].includes(answer?.behavior)) return answer;
    throw new TypeError("the answer is neither allow nor deny");
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

/** Answers questions: the user at the terminal, or the program at the other end of the protocol. */
export interface UserPort {
  /** Answers a permission question; without it every call is denied. Contract: called for one question at a time; rejects only with the signal's reason. */
  permission?(question: PermissionQuestion, signal: AbortSignal): Promise<UserAnswer>;
  /** Answers a hook's question with the key of an option; undefined when the user refuses. */
  question?(question: Question, signal: AbortSignal): Promise<string | undefined>;
  /** Answers a yes-or-no question. */
  confirm?(text: string, signal: AbortSignal): Promise<boolean>;
  /** Fills in a form of an MCP server. */
  elicit?(form: ElicitationForm, signal: AbortSignal): Promise<ElicitationAnswer>;
}

/** A question whether a tool call may run. */
export interface PermissionQuestion {
  readonly tool: string;
  readonly input: ToolInput;
  readonly toolUseId: string;
  readonly reason: string;
  /** Rule changes that would make the question unnecessary. */
  readonly suggestions: readonly PermissionUpdate[];
  readonly blockedPath?: string;
  readonly subagentType?: string;
}

/** The answer to a permission question. */
export type UserAnswer =
  | { readonly behavior: "allow"; readonly input?: ToolInput; readonly updates?: readonly PermissionUpdate[] }
  | { readonly behavior: "deny"; readonly message?: string; readonly interrupt?: boolean };

/** A form of an MCP server. */
export interface ElicitationForm {
  readonly server: string;
  readonly message: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** The answer to a server's form. */
export interface ElicitationAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, unknown>>;
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
