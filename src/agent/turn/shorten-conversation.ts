import { blocksIn, type ContentBlock, type Message, type ToolResultBlock, textIn } from "../../models/internal.ts";

/**
 * Shortens a conversation: long texts and tool results keep their beginning and end, and the oldest messages after the first are
 * removed. `level` 0 is the whole conversation; each further level is about half as long.
 *
 * Contract: the API accepts the result. A call and its result are kept or removed together, and the first message is the user's.
 */
export function shortenConversation(messages: readonly Message[], level: number): readonly Message[] {
  if (level === 0) return messages;
  const most = maxChars / 2 ** level;
  const cut = messages.map((message) => cutLong(message, most));
  const total = cut.reduce((sum, message) => sum + sizeOf(message), 0);
  let left = total;
  let from = 0;
  // Level 1 only cuts long results.
  while (left > total / 2 ** (level - 1) && from < cut.length - 1) left -= sizeOf(cut[from++] as Message);
  const start = cut.findIndex((message, index) => index >= from && canBegin(message));
  const kept = start === -1 ? cut.slice(-1).map(withoutResults) : cut.slice(start);
  if (kept.length === messages.length) return kept;
  // The first message is the task of the user, or the summary of an earlier compaction.
  const first = cut.slice(0, 1).filter(({ role }) => start !== 0 && role === "user");
  return [...first, { role: "user", content: leftOut }, ...kept];
}

/** Characters that one part of a message keeps at level 0; half of it at level 1, and so on. */
const maxChars = 32_000;

const leftOut = "[The earlier part of this conversation was left out because it no longer fits.]";

/** Cuts long results and removes no message. */
export function cutLongResults(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) => cutLong(message, maxChars / 4));
}

/** Whether a conversation may begin here: at an answer, or at a user message without tool results. */
function canBegin({ role, content }: Message): boolean {
  return role === "assistant" || typeof content === "string" || !content.some(({ type }) => type === "tool_result");
}

/** Turns results whose calls were removed into text. */
function withoutResults(message: Message): Message {
  const blocks = blocksIn(message).filter(({ type }) => type !== "tool_use");
  return { ...message, content: blocks.map((block) => (block.type === "tool_result" ? asText(block) : block)) };
}

function asText({ content = "" }: ToolResultBlock): ContentBlock {
  return { type: "text", text: `[Result of a tool call] ${textIn(content, "\n")}` };
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
  return { ...block, content: block.content.map((part) => cutBlock(part, most) as typeof part) };
}

function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  return `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters left out …]\n${text.slice(-half)}`;
}

function sizeOf({ content }: Message): number {
  return typeof content === "string" ? content.length : JSON.stringify(content).length;
}
