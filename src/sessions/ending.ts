import type { Linked } from "./graph.ts";
import type { Thread } from "./thread.ts";

/**
 * True when a conversation stopped before its last prompt or result was answered, so that a model would find two things
 * said to it at once. A call that a hook deferred is not: its answer is still to come.
 */
export function isUnanswered(thread: Thread): boolean {
  if (thread.toolCalls.some(({ status }) => status === "deferred")) return false;
  const last = thread.history().findLast(isSpoken);
  if (last?.kind === "assistant") return last.stopReason === null || last.stopReason === "tool_use";
  return last !== undefined;
}

/** Said by a person, a tool or a model; hook records, notes and the client's own commands are not. */
function isSpoken(entry: Linked): boolean {
  if (entry.kind === "assistant") return true;
  if (entry.kind !== "user") return false;
  return (
    entry.role !== "meta" && entry.role !== "command" && entry.role !== "command-output" && entry.role !== "summary"
  );
}
