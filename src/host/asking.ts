import { notifyHooks } from "./fire.ts";
import type { PermissionAnswer, PermissionQuestion } from "./person.ts";
import type { Thread } from "./thread.ts";

/** Puts a question to whoever is there, one at a time; with nobody there the answer is no. */
export async function askPermission(
  thread: Thread,
  question: PermissionQuestion,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const { person } = thread.session.options;
  const permission = person?.permission?.bind(person);
  if (permission === undefined) {
    const message = `This call needs a permission and nobody is there to ask: ${question.reason}`;
    return { behavior: "deny", message };
  }
  const about = thread.agent === undefined ? question : { ...question, agentType: thread.agent.type };
  return inTurn(thread, signal, () => permission(about, signal));
}

const turns = new WeakMap<object, Promise<unknown>>();

/** One question at a time per session; while it stands, the registry says so, and after a while a notification does. */
export async function inTurn<T>(thread: Thread, signal: AbortSignal, put: () => Promise<T>): Promise<T> {
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
    await session.live.set("waiting", "permission prompt");
    try {
      signal.throwIfAborted(); // saying so took time
      return await put();
    } finally {
      clearTimeout(notice);
      await session.live.set("busy");
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
