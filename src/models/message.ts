import { parseObject } from "../protocol/internal.ts";

/**
 * A message in the format of the Messages API and of Claude Code's transcripts. Ports of other APIs translate to and from this
 * format, so that a transcript line, a request and an answer have the same blocks.
 */
export interface Message {
  /** Whose message. */
  readonly role: "user" | "assistant";
  /** Text, or blocks. */
  readonly content: string | readonly ContentBlock[];
}

/** A block of a message. */
export type ContentBlock =
  | TextBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ToolResultBlock
  | ImageBlock
  | DocumentBlock;

/** A block of an answer; the other blocks are only sent to a model. */
export type AnswerBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock;

/** Text. */
export interface TextBlock {
  readonly type: "text";
  readonly text: string;
}

/** Sent back to the API unchanged: the signature covers the text. */
export interface ThinkingBlock {
  readonly type: "thinking";
  readonly thinking: string;
  /** Empty when the model's API signs nothing. */
  readonly signature: string;
}

/** Thinking that the API has encrypted; sent back unchanged. */
export interface RedactedThinkingBlock {
  readonly type: "redacted_thinking";
  readonly data: string;
}

/** A tool call. */
export interface ToolUseBlock {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  /** What the model wrote, not checked yet. `{}` when that is not a JSON object; then the `end` event's `broken` names the call. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** The result of a tool call. */
export interface ToolResultBlock {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content?: string | readonly (TextBlock | ImageBlock | DocumentBlock)[];
  readonly is_error?: boolean;
}

/** An image. */
export interface ImageBlock {
  readonly type: "image";
  readonly source: Base64Source | { readonly type: "url"; readonly url: string };
}

/** A document, such as a PDF. */
export interface DocumentBlock {
  readonly type: "document";
  readonly source: Base64Source | { readonly type: "url"; readonly url: string };
  readonly title?: string;
}

/** Bytes of an image or a document. */
export interface Base64Source {
  readonly type: "base64";
  readonly media_type: string;
  readonly data: string;
}

/**
 * Joins neighboring messages of one role, so that turns alternate. In a joined message tool results come first, as the Messages API
 * requires.
 */
export function joinTurns(messages: readonly Message[]): Message[] {
  const all: Message[] = [];
  for (const message of messages) {
    const last = all.at(-1);
    if (last?.role !== message.role) all.push(message);
    else all[all.length - 1] = { role: last.role, content: resultsFirst([...blocksIn(last), ...blocksIn(message)]) };
  }
  return all;
}

function resultsFirst(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  const isResult = (block: ContentBlock) => block.type === "tool_result";
  return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))];
}

/** The blocks of a message; a plain text is one block. */
export function blocksIn({ content }: Message): readonly ContentBlock[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** The text of a message or an answer, without thinking, calls and results. */
export function textIn(content: string | readonly ContentBlock[], separator = ""): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? block.text : [])).join(separator);
}

/** A tool call from what the model wrote. Input that is not a JSON object becomes `{}`, and `broken` keeps the text under the call's id. */
export function parseToolCall(id: string, name: string, json: string, broken: Record<string, string>): ToolUseBlock {
  const input = json.trim() === "" ? {} : parseObject(json);
  // The id comes from the model too: a plain assignment would lose one called `__proto__`.
  if (input === undefined) Object.defineProperty(broken, id, { value: json, enumerable: true });
  return { type: "tool_use", id, name, input: input ?? {} };
}

/**
 * Replaces halves of surrogate pairs in the texts of a JSON value by the replacement character. A text that is cut in the middle of an
 * emoji has such a half, and the APIs refuse a request with one, as well as every later request of the same conversation. A value that
 * needs no change is returned as it is.
 */
export function replaceLoneSurrogates<Value>(value: Value): Value {
  if (isWellFormed(value)) return value;
  // Of all surrogates, only halves of pairs are escaped in JSON. The first alternative skips an escaped backslash in front of the text "ud800".
  const replaced = JSON.stringify(value).replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (found) =>
    found === "\\\\" ? found : "\uFFFD",
  );
  return JSON.parse(replaced) as Value;
}

/** Every request contains the whole conversation, which may be large: it is not copied to look at it. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, item]) => key.isWellFormed() && isWellFormed(item));
}
