/**
 * A conversation, spelled as the Messages API and the client's transcripts spell it. Other APIs are translated to and from this
 * shape by their own port, so that a transcript line, a request and an answer hold the same blocks.
 */
export interface Message {
  readonly role: "user" | "assistant";
  readonly content: string | readonly ContentBlock[];
}

export type ContentBlock =
  | TextBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ToolResultBlock
  | ImageBlock
  | DocumentBlock;

/** What a model can answer with; the other blocks are only ever sent to it. */
export type AnswerBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock;

export interface TextBlock {
  readonly type: "text";
  readonly text: string;
}

/** Goes back to the API exactly as it came: the signature covers the text. */
export interface ThinkingBlock {
  readonly type: "thinking";
  readonly thinking: string;
  /** Empty when the model's API signs nothing. */
  readonly signature: string;
}

export interface RedactedThinkingBlock {
  readonly type: "redacted_thinking";
  readonly data: string;
}

export interface ToolUseBlock {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  /** What the model wrote, checked by nobody yet. `{}` when it wrote no JSON object; then the `end` event's `broken` names the call. */
  readonly input: Readonly<Record<string, unknown>>;
}

export interface ToolResultBlock {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content?: string | readonly (TextBlock | ImageBlock | DocumentBlock)[];
  readonly is_error?: boolean;
}

export interface ImageBlock {
  readonly type: "image";
  readonly source: ByteSource | { readonly type: "url"; readonly url: string };
}

export interface DocumentBlock {
  readonly type: "document";
  readonly source: ByteSource | { readonly type: "url"; readonly url: string };
  readonly title?: string;
}

export interface ByteSource {
  readonly type: "base64";
  readonly media_type: string;
  readonly data: string;
}
