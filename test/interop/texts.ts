import type { ApiBlock, ApiMessage, RequestPurpose } from "../scripted-api/index.ts";
import type { SeenRun } from "./occasion.ts";
import type { StreamLine } from "./stream.ts";

const conversations: readonly RequestPurpose[] = ["main", "subagent", "compaction"];

/** Every text that the model was given in its conversations, hooks' command lines taken out. */
export function modelTexts(run: SeenRun): string[] {
  return conversations.flatMap((purpose) => {
    const last = run.requests.filter((request) => request.purpose === purpose).at(-1);
    const messages = last?.body.messages.filter((message) => message.role !== "assistant") ?? [];
    return messages.flatMap(textsOf).map((text) => unquoted(text, run));
  });
}

/** What Claude Code recorded as a message of a hook to the user. */
export function userTexts(run: SeenRun): string[] {
  return run.transcript.flatMap(({ attachment }) =>
    attachment?.type === "hook_system_message" ? [String(attachment.content)] : [],
  );
}

export interface ToolResult {
  readonly id: string;
  readonly text: string;
  readonly isError: boolean;
}

/** What Claude Code answered to tool calls of the main conversation, in order. */
export function toolResults(run: SeenRun): ToolResult[] {
  return run.lines
    .filter((line) => line.type === "user" && line["parent_tool_use_id"] === null)
    .flatMap(blocksOf)
    .filter((block) => block.type === "tool_result")
    .map((block) => ({
      id: block.tool_use_id ?? "",
      text: unquoted(textsOf({ role: "tool", content: block.content ?? "" }).join("\n"), run),
      isError: block.is_error === true,
    }));
}

/** The text without the names by which Claude Code quotes hooks: `[cmd]: words` and `"cmd": words` become `words`. */
export function unquoted(text: string, run: SeenRun): string {
  return run.quoted.reduce(
    (rest, name) => rest.replaceAll(`[${name}]: `, "").replaceAll(`"${name}": `, "").replaceAll(name, ""),
    text,
  );
}

/** The first group of the first match of `pattern` in any of the texts. */
export function firstMatch(texts: readonly string[], pattern: RegExp): string | undefined {
  for (const text of texts) {
    const found = pattern.exec(text)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}

function textsOf(message: ApiMessage): string[] {
  if (typeof message.content === "string") return [message.content];
  return message.content.flatMap((block) => {
    if (block.text !== undefined) return [block.text];
    return block.content === undefined ? [] : textsOf({ role: message.role, content: block.content });
  });
}

function blocksOf(line: StreamLine): readonly ApiBlock[] {
  const { content } = line["message"] as ApiMessage;
  return typeof content === "string" ? [] : content;
}
