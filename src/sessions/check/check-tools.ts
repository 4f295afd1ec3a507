import type { AssistantEntry, Entry, UserEntry } from "../model/entry.ts";
import { keyOf } from "../model/model-call.ts";
import type { ToolCall } from "../model/session-tool-call.ts";
import type { Thread } from "../model/transcript-conversation.ts";
import { at, type Check, type CheckFinding, counted } from "./check-finding.ts";

/** Every tool call has one result, and every result a call. */
export const checkTools: Check = function* ({ model, threads }) {
  for (const thread of threads) {
    for (const tool of loneUses(thread)) {
      yield at(tool.use, "tool-use-without-result", "error", `${tool.name} (${tool.id}) was never answered`);
    }
    yield* results(thread, (id) => model.toolCall(id) !== undefined);
  }
};

/** Calls without a result though the conversation went on. At its end a call may still be running, or be deferred. */
export function loneUses(thread: Thread): ToolCall[] {
  const spoken = thread.entries.filter(isSpoken);
  return thread.toolCalls.filter(({ result, status, use, call }) => {
    if (result !== undefined || status === "deferred") return false;
    const next = spoken.findLast(
      (entry) => entry.offset <= use.offset || entry.kind === "user" || keyOf(entry) !== call.key,
    );
    return next !== undefined && next.offset > use.offset;
  });
}

function isSpoken(entry: Entry): entry is AssistantEntry | UserEntry {
  if (entry.kind === "assistant") return true;
  return entry.kind === "user" && ["prompt", "interrupt", "notification", "teammate"].includes(entry.role);
}

/** A result block that should not be there. */
export interface StrayResult {
  readonly entry: UserEntry;
  readonly toolUseId: string;
  /** Its place in the entry's content. */
  readonly block: number;
  readonly code: "tool-result-without-use" | "duplicate-tool-result";
}

export function strayResults(thread: Thread, isCalled: (id: string) => boolean): StrayResult[] {
  const seen = new Set<string>();
  const stray: StrayResult[] = [];
  for (const entry of counted(thread)) {
    if (entry.kind !== "user") continue;
    for (const [block, { type, ...rest }] of entry.content.entries()) {
      if (type !== "tool_result" || !("toolUseId" in rest)) continue;
      const { toolUseId } = rest;
      if (!isCalled(toolUseId)) stray.push({ entry, toolUseId, block, code: "tool-result-without-use" });
      else if (seen.has(toolUseId)) stray.push({ entry, toolUseId, block, code: "duplicate-tool-result" });
      seen.add(toolUseId);
    }
  }
  return stray;
}

function* results(thread: Thread, isCalled: (id: string) => boolean): Generator<CheckFinding> {
  for (const { entry, toolUseId, code } of strayResults(thread, isCalled)) {
    const what = code === "duplicate-tool-result" ? "was answered before" : "was never called";
    yield at(entry, code, "error", `line ${entry.line} answers ${toolUseId}, which ${what}`);
  }
}
