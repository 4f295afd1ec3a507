import type { Linked } from "../model/entry-graph.ts";

/**
 * True when a conversation stopped before its last prompt or result was answered, so that a model would find two things
 * said to it at once. A call that a hook deferred is not: its answer is still to come, if the model still knows of the call.
 */
export function isUnanswered(history: readonly Linked[], context: readonly Linked[]): boolean {
  if (holdsDeferred(context)) return false;
  const last = history.findLast(isSpoken);
  if (last?.kind === "assistant") return last.stopReason === null || last.stopReason === "tool_use";
  return last !== undefined;
}

/** Said by a person, a tool or a model; hook records, notes and the client's own commands are not. */
export function isSpoken(entry: Linked): boolean {
  if (entry.kind === "assistant") return true;
  if (entry.kind !== "user") return false;
  return (
    entry.role !== "meta" && entry.role !== "command" && entry.role !== "command-output" && entry.role !== "summary"
  );
}

function holdsDeferred(context: readonly Linked[]): boolean {
  const waiting = new Set<string>();
  for (const entry of context) {
    if (entry.kind === "attachment" && entry.type === "hook_deferred_tool") waiting.add(entry.toolUseId ?? "");
  }
  if (waiting.size === 0) return false;
  const blocks = context.flatMap((entry) => (entry.kind === "user" || entry.kind === "assistant" ? entry.content : []));
  for (const block of blocks) if (block.type === "tool_result") waiting.delete(block.toolUseId);
  return blocks.some((block) => block.type === "tool_use" && waiting.has(block.id));
}
