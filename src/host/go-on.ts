import type { ToolUseBlock } from "../models/index.ts";
import { unanswered } from "./history.ts";
import { say, type Thread } from "./thread.ts";

/** A sentence from the host that lets the model go on. */
export async function goOn(thread: Thread, text: string): Promise<string> {
  const uuid = await thread.journal.user(text, { isMeta: true });
  say(thread, text);
  return uuid;
}

/** The model is asked once more because its answer was not one. Whoever watches sees why, and it counts as a turn. */
export async function askAgain(thread: Thread, text: string): Promise<void> {
  const uuid = await goOn(thread, text);
  const { session, agent } = thread;
  if (agent !== undefined) return;
  session.turns += 1;
  session.tell({ kind: "user", content: [{ type: "text", text }], uuid, synthetic: true, parentToolUseId: null });
}

/** Calls of an answer that ends the turn are not run. The next turn of this conversation needs a result for each. */
export function leaveUndone(thread: Thread, calls: readonly ToolUseBlock[]): void {
  if (calls.length > 0)
    say(
      thread,
      calls.map(({ id }) => unanswered(id)),
    );
}
