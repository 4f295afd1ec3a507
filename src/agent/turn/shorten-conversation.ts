import type { ContentBlock, Message, ToolResultBlock } from "../../models/internal.ts";

/**
 * A conversation that fits where the whole does not: long texts and tool results keep their beginning and end, and the oldest messages
 * but the first go. `level` 0 is the whole conversation; each level above leaves about half of the one before.
 *
 * Contract: keeps the rules of the API. A call and its result stay or go together, and the first message is the user's.
 */
export function shortenConversation(messages: readonly Message[], level: number): readonly Message[] {
  if (level === 0) return messages;
  const most = maxChars / 2 ** level;
  const cut = messages.map((message) => cutLong(message, most));
  const total = cut.reduce((sum, message) => sum + sizeOf(message), 0);
  let left = total;
  let from = 0;
  // At level 1 cutting long results is all that is done.
  while (left > total / 2 ** (level - 1) && from < cut.length - 1) left -= sizeOf(cut[from++] as Message);
  const start = cut.findIndex((message, at) => at >= from && begins(message));
  const kept = start === -1 ? withoutResults(cut.slice(-1)) : cut.slice(start);
  if (kept.length === messages.length) return kept;
  // The first message is what the user asked for, or the summary of all that came before.
  const [first] = cut.filter(({ role }, at) => at === 0 && start !== 0 && role === "user");
  return [...(first === undefined ? [] : [first]), { role: "user", content: leftOut }, ...kept];
}

/** Characters that one part of a message keeps at level 0; half of it at level 1, and so on. */
const maxChars = 32_000;

const leftOut = "[The earlier part of this conversation was left out because it no longer fits.]";

/** Messages of a conversation with long results cut, and none left out. */
export function cutLongResults(messages: readonly Message[], most: number = maxChars / 4): readonly Message[] {
  return messages.map((message) => cutLong(message, most));
}

/** An answer, whose results follow it, or a message of the user that answers no call: what comes before it can go. */
function begins({ role, content }: Message): boolean {
  return role === "assistant" || typeof content === "string" || !content.some(({ type }) => type === "tool_result");
}

/** Results whose calls were left out, as text. */
function withoutResults(messages: readonly Message[]): readonly Message[] {
  return messages.map(({ role, content }) => ({
    role,
    content:
      typeof content === "string"
        ? content
        : content
            .filter(({ type }) => type !== "tool_use")
            .map((block) => (block.type === "tool_result" ? asText(block) : block)),
  }));
}

function asText({ content = "" }: ToolResultBlock): ContentBlock {
  const text =
    typeof content === "string" ? content : content.map((one) => (one.type === "text" ? one.text : "")).join("\n");
  return { type: "text", text: `[Result of a tool call] ${text}` };
}

function cutLong({ role, content }: Message, most: number): Message {
  if (typeof content === "string") return { role, content: cutText(content, most) };
  return { role, content: content.map((block) => cutBlock(block, most)) };
}

function cutBlock(block: ContentBlock, most: number): ContentBlock {
  if (block.type === "text") return { ...block, text: cutText(block.text, most) };
  if (block.type === "image" || block.type === "document") return { type: "text", text: `[${block.type} left out]` };
  if (block.type !== "tool_result" || block.content === undefined) return block;
  if (typeof block.content === "string") return { ...block, content: cutText(block.content, most) };
  return { ...block, content: block.content.map((one) => cutBlock(one, most) as typeof one) };
}

function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  return `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters left out …]\n${text.slice(-half)}`;
}

function sizeOf({ content }: Message): number {
  return typeof content === "string" ? content.length : JSON.stringify(content).length;
}
