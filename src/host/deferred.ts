import type { ToolUseBlock } from "../models/index.ts";
import type { Linked } from "../sessions/index.ts";
import { goOn } from "./go-on.ts";
import { runBatch, runTurn, type TurnEnd } from "./loop.ts";
import type { Thread } from "./thread.ts";

/** Calls that a hook put off in an earlier run, with the lines they stand in. */
export interface Deferred {
  readonly calls: readonly ToolUseBlock[];
  readonly lines: ReadonlyMap<string, string>;
}

/** What still waits for a decision at the end of a conversation. */
export function deferredIn(context: readonly Linked[]): Deferred {
  const wanted = new Set<string>();
  for (const entry of context)
    if (entry.kind === "attachment" && entry.type === "hook_deferred_tool") wanted.add(entry.toolUseId ?? "");
  const calls: ToolUseBlock[] = [];
  const lines = new Map<string, string>();
  if (wanted.size === 0) return { calls, lines };
  for (const entry of context) {
    if (entry.kind === "user")
      for (const block of entry.content) if (block.type === "tool_result") wanted.delete(block.toolUseId);
    if (entry.kind !== "assistant") continue;
    for (const block of entry.content) {
      if (block.type !== "tool_use" || !wanted.has(block.id)) continue;
      calls.push({ type: "tool_use", id: block.id, name: block.name, input: block.input as ToolUseBlock["input"] });
      lines.set(block.id, entry.uuid);
    }
  }
  return { calls: calls.filter(({ id }) => wanted.has(id)), lines };
}

/** Asks about the calls again, carries out what may run, and lets the model go on. */
export async function finishDeferred(main: Thread, { calls, lines }: Deferred, signal: AbortSignal): Promise<TurnEnd> {
  main.session.promptId = main.session.options.uuid();
  const end = await runBatch(main, calls, lines, signal);
  if (end !== undefined) return end;
  await goOn(main, "Continue from where you left off.");
  return runTurn(main, signal);
}
