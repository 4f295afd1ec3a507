/** One block of a message. Blocks of unknown types keep their object in `unknown`. */
export type EntryBlock =
  | EntryTextBlock
  | EntryThinkingBlock
  | EntryRedactedThinkingBlock
  | EntryToolUseBlock
  | EntryToolResultBlock
  | EntryImageBlock
  | EntryDocumentBlock
  | ServerToolUseBlock
  | WebSearchResultBlock
  | AdvisorResultBlock
  | CompactionBlock
  | UnknownBlock;

/** Fields on disk that the type of the block does not declare. */
interface ExtraFields {
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** A `text` block of a message. */
export interface EntryTextBlock extends ExtraFields {
  readonly type: "text";
  readonly text: string;
}

/** A `thinking` block of a message. */
export interface EntryThinkingBlock extends ExtraFields {
  readonly type: "thinking";
  readonly thinking: string;
  readonly signature?: string;
}

/** A `redacted_thinking` block: thinking in encrypted form. */
export interface EntryRedactedThinkingBlock extends ExtraFields {
  readonly type: "redacted_thinking";
  readonly data: string;
}

/** A `tool_use` block: a tool call of the model. */
export interface EntryToolUseBlock extends ExtraFields {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  /** Usually an object; text when Claude Code could not parse the output of the model. */
  readonly input: unknown;
}

/** A `tool_result` block: the result of a tool call. */
export interface EntryToolResultBlock extends ExtraFields {
  readonly type: "tool_result";
  readonly toolUseId: string;
  readonly content: readonly EntryBlock[];
  /** The content on disk was one string, not a list. */
  readonly contentWasText?: true;
  /** Absent on disk means success. */
  readonly isError: boolean;
}

/** An `image` block of a message or a tool result. */
export interface EntryImageBlock extends ExtraFields {
  readonly type: "image";
  readonly source: unknown;
}

/** A `document` block of a message or a tool result, such as a PDF file. */
export interface EntryDocumentBlock extends Omit<EntryImageBlock, "type"> {
  readonly type: "document";
}

/** A `server_tool_use` block: a call of a tool that runs on the model provider's server. */
export interface ServerToolUseBlock extends Omit<EntryToolUseBlock, "type"> {
  readonly type: "server_tool_use";
}

/** A `web_search_tool_result` block: the result of a web search on the model provider's server. */
export interface WebSearchResultBlock extends ExtraFields {
  readonly type: "web_search_tool_result";
  readonly toolUseId: string;
  readonly content: unknown;
}

/** An `advisor_tool_result` block: the result of a call of the advisor tool. */
export interface AdvisorResultBlock extends Omit<WebSearchResultBlock, "type"> {
  readonly type: "advisor_tool_result";
}

/** A `compaction` block: a summary that replaces earlier messages. */
export interface CompactionBlock extends ExtraFields {
  readonly type: "compaction";
  readonly content: unknown;
}

/** Verbatim: an unknown type, or a known one with an unexpected shape. */
export interface UnknownBlock {
  readonly type: "unknown";
  readonly unknown: unknown;
}
