import type { ToolUseBlock } from "../models/index.ts";
import type { Linked } from "../sessions/index.ts";
import { tellModelAsHost } from "./channels.ts";
import { runBatch, runTurn, type TurnEnd } from "./loop.ts";
import type { BatchCall } from "./model-call.ts";
import type { Thread } from "./thread.ts";

/** Calls that a hook deferred in an earlier run and that still wait for a decision. */
export function deferredIn(context: readonly Linked[]): readonly BatchCall[] {
  const wanted = new Set<string>();
  for (const entry of context)
    if (entry.kind === "attachment" && entry.type === "hook_deferred_tool") wanted.add(entry.toolUseId ?? "");
  const calls: BatchCall[] = [];
  if (wanted.size === 0) return calls;
  for (const entry of context) {
    if (entry.kind === "user")
      for (const block of entry.content) if (block.type === "tool_result") wanted.delete(block.toolUseId);
    if (entry.kind !== "assistant") continue;
    for (const block of entry.content) {
      if (block.type !== "tool_use" || !wanted.has(block.id)) continue;
      const input = block.input as ToolUseBlock["input"];
      calls.push({ call: { type: "tool_use", id: block.id, name: block.name, input }, lineUuid: entry.uuid });
    }
  }
  return calls.filter(({ call }) => wanted.has(call.id));
}

/** Asks about the calls again, carries out what may run, and lets the model go on. */
export async function finishDeferred(main: Thread, calls: readonly BatchCall[], signal: AbortSignal): Promise<TurnEnd> {
  main.session.promptId = main.session.options.uuid();
  const end = await runBatch(main, calls, signal);
  if (end !== undefined) return end;
  await tellModelAsHost(main, "Continue from where you left off.");
  return runTurn(main, signal);
}
