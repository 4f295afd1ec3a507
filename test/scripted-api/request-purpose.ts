import type { MessagesRequest } from "./script.ts";

/**
 * Who is asking. A client sends more than its conversation: titles, hooks that ask a model, compaction. A script
 * answers each purpose on its own, so that a side request never uses a turn of the main conversation.
 */
export type RequestPurpose = "main" | "subagent" | "compaction" | "prompt-hook" | "agent-hook" | "side";

export function purposeOf(request: MessagesRequest): RequestPurpose {
  const offered = new Set((request.tools ?? []).map((tool) => tool.name));
  if (offered.has("StructuredOutput")) {
    // A prompt hook has nothing to choose: it must answer, and with this tool.
    return offered.size === 1 && request.tool_choice?.name === "StructuredOutput" ? "prompt-hook" : "agent-hook";
  }
  if (isCompaction(request)) return "compaction";
  if (request.output_config?.format !== undefined) {
    return JSON.stringify(request.output_config.format).includes('"ok"') ? "prompt-hook" : "side";
  }
  if (offered.size === 0) return "side";
  return systemText(request).includes("cc_is_subagent=true") ? "subagent" : "main";
}

function systemText(request: MessagesRequest): string {
  if (typeof request.system === "string") return request.system;
  return (request.system ?? []).map((block) => block.text ?? "").join("\n");
}

/** The words of Claude Code, and of our own agent. */
const summaries = ["create a detailed summary of the conversation so far", "Summarize the conversation so far"];

/** Compaction continues the main conversation; only its last text gives it away. */
function isCompaction(request: MessagesRequest): boolean {
  const content = request.messages.at(-1)?.content ?? "";
  const text = typeof content === "string" ? content : (content.at(-1)?.text ?? "");
  return summaries.some((words) => text.includes(words));
}
