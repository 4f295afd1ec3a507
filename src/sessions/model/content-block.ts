/** One piece of a message's content. Types we do not know keep their object under `unknown`. */
export type Block =
  | TextBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ToolResultBlock
  | ImageBlock
  | DocumentBlock
  | ServerToolUseBlock
  | WebSearchResultBlock
  | AdvisorResultBlock
  | CompactionBlock
  | UnknownBlock;

/** Fields of the block on disk that its type does not have. */
interface Rest {
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface TextBlock extends Rest {
  readonly type: "text";
  readonly text: string;
}

export interface ThinkingBlock extends Rest {
  readonly type: "thinking";
  readonly thinking: string;
  readonly signature?: string;
}

export interface RedactedThinkingBlock extends Rest {
  readonly type: "redacted_thinking";
  readonly data: string;
}

export interface ToolUseBlock extends Rest {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  /** An object as a rule; text when the client could not parse what the model wrote. */
  readonly input: unknown;
}

export interface ToolResultBlock extends Rest {
  readonly type: "tool_result";
  readonly toolUseId: string;
  readonly content: readonly Block[];
  /** The content on disk was one string, not a list. */
  readonly contentWasText?: true;
  /** Absent on disk means success. */
  readonly isError: boolean;
}

export interface ImageBlock extends Rest {
  readonly type: "image";
  readonly source: unknown;
}

export interface DocumentBlock extends Rest {
  readonly type: "document";
  readonly source: unknown;
}

export interface ServerToolUseBlock extends Rest {
  readonly type: "server_tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface WebSearchResultBlock extends Rest {
  readonly type: "web_search_tool_result";
  readonly toolUseId: string;
  readonly content: unknown;
}

export interface AdvisorResultBlock extends Rest {
  readonly type: "advisor_tool_result";
  readonly toolUseId: string;
  readonly content: unknown;
}

export interface CompactionBlock extends Rest {
  readonly type: "compaction";
  readonly content: unknown;
}

/** Verbatim: an unknown type, or a known one whose shape is not the known one. */
export interface UnknownBlock {
  readonly type: "unknown";
  readonly unknown: unknown;
}
