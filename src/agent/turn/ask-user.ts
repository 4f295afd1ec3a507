import type { Question } from "../../engine/internal.ts";
import type { PermissionUpdate, ToolInput } from "../../protocol/internal.ts";
import type { AgentThread } from "../session/agent-session.ts";
import { fire, notifyHooks } from "./fire-event.ts";

/** Asks the user, one question at a time. With no user to ask, the answer is no. */
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
  const about = thread.agent === undefined ? question : { ...question, agentType: thread.agent.type };
  return oneQuestionAtATime(thread, signal, () => permission(about, signal));
}

const turns = new WeakMap<object, Promise<unknown>>();

/** Asks one question at a time per session. Meanwhile the registry shows `waiting`; after `promptNoticeMs` Notification hooks run. */
export async function oneQuestionAtATime<T>(
  thread: AgentThread,
  signal: AbortSignal,
  put: () => Promise<T>,
): Promise<T> {
  const { session } = thread;
  const before = turns.get(session);
  const mine = (async () => {
    await before;
    signal.throwIfAborted();
    const notice = setTimeout(
      () =>
        notifyHooks(thread, "Notification", {
          message: "The agent needs your permission",
          notification_type: "permission_prompt",
        }),
      session.options.promptNoticeMs,
    );
    await session.registry.set("waiting", "permission prompt");
    try {
      signal.throwIfAborted(); // saying so took time
      return await put();
    } finally {
      clearTimeout(notice);
      await session.registry.set("busy");
    }
  })();
  turns.set(
    session,
    mine.then(
      () => undefined,
      () => undefined,
    ),
  );
  return mine;
}

/** Answers questions: the user at the terminal, or the program at the other end of the protocol. */
export interface UserPort {
  /** Answers a permission question; without it every question is a refusal. Contract: called for one question at a time; rejects only with the signal's reason. */
  permission?(question: PermissionQuestion, signal: AbortSignal): Promise<UserAnswer>;
  /** A hook's own question; undefined when the user refuses. */
  question?(question: Question, signal: AbortSignal): Promise<string | undefined>;
  /** A question with a yes or no. */
  confirm?(text: string, signal: AbortSignal): Promise<boolean>;
  /** A form that a server wants filled in. */
  elicit?(form: ElicitationForm, signal: AbortSignal): Promise<ElicitationAnswer>;
}

/** A question whether a tool call may run. */
export interface PermissionQuestion {
  readonly tool: string;
  readonly input: ToolInput;
  readonly toolUseId: string;
  readonly reason: string;
  /** Changes of the rules that would have made the question needless. */
  readonly suggestions: readonly PermissionUpdate[];
  readonly blockedPath?: string;
  readonly subagentType?: string;
}

/** The answer to a permission question. */
export type UserAnswer =
  | { readonly behavior: "allow"; readonly input?: ToolInput; readonly updates?: readonly PermissionUpdate[] }
  | { readonly behavior: "deny"; readonly message?: string; readonly interrupt?: boolean };

/** A form that an MCP server wants filled in. */
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

/** A server asks for input: hooks may answer, else the user does, and hooks may change what they said. Nobody there is a cancel. */
export async function answerElicitation(
  main: AgentThread,
  form: ElicitationForm,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  const named = { mcp_server_name: form.server };
  const about = { ...named, message: form.message, mode: "form", requested_schema: form.schema };
  const asked = await fire(main, "Elicitation", about, { signal });
  const byHook = answerIn(asked.output, asked.blocked);
  if (byHook !== undefined) return byHook;
  const answer = await askUserToFillIn(main, form, signal);
  const result = {
    ...named,
    mode: "form",
    action: answer.action,
    ...(answer.content ? { content: answer.content } : {}),
  };
  const heard = await fire(main, "ElicitationResult", result, { signal });
  const message = `Elicitation response for server "${form.server}": ${answer.action}`;
  notifyHooks(main, "Notification", { message, notification_type: "elicitation_response" });
  return answerIn(heard.output, heard.blocked) ?? answer;
}

function answerIn(
  { action, content }: { action?: ElicitationAnswer["action"]; content?: ElicitationAnswer["content"] },
  blocked: boolean,
) {
  if (blocked) return { action: "decline" } as const;
  if (action === undefined) return undefined;
  return content === undefined ? { action } : { action, content };
}

async function askUserToFillIn(
  main: AgentThread,
  form: ElicitationForm,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  const { user } = main.session.options;
  if (user?.elicit === undefined) return { action: "cancel" };
  return oneQuestionAtATime(main, signal, async () => (await user.elicit?.(form, signal)) ?? { action: "cancel" });
}
