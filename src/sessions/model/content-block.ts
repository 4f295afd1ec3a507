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

export interface EntryTextBlock extends ExtraFields {
  readonly type: "text";
  readonly text: string;
}

export interface EntryThinkingBlock extends ExtraFields {
  readonly type: "thinking";
  readonly thinking: string;
  readonly signature?: string;
}

export interface EntryRedactedThinkingBlock extends ExtraFields {
  readonly type: "redacted_thinking";
  readonly data: string;
}

export interface EntryToolUseBlock extends ExtraFields {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  /** Usually an object; text when the client could not parse the output of the model. */
  readonly input: unknown;
}

export interface EntryToolResultBlock extends ExtraFields {
  readonly type: "tool_result";
  readonly toolUseId: string;
  readonly content: readonly EntryBlock[];
  /** The content on disk was one string, not a list. */
  readonly contentWasText?: true;
  /** Absent on disk means success. */
  readonly isError: boolean;
}

export interface EntryImageBlock extends ExtraFields {
  readonly type: "image";
  readonly source: unknown;
}

export interface EntryDocumentBlock extends Omit<EntryImageBlock, "type"> {
  readonly type: "document";
}

export interface ServerToolUseBlock extends Omit<EntryToolUseBlock, "type"> {
  readonly type: "server_tool_use";
}

export interface WebSearchResultBlock extends ExtraFields {
  readonly type: "web_search_tool_result";
  readonly toolUseId: string;
  readonly content: unknown;
}

export interface AdvisorResultBlock extends Omit<WebSearchResultBlock, "type"> {
  readonly type: "advisor_tool_result";
}

export interface CompactionBlock extends ExtraFields {
  readonly type: "compaction";
  readonly content: unknown;
}

/** Verbatim: an unknown type, or a known one with an unexpected shape. */
export interface UnknownBlock {
  readonly type: "unknown";
  readonly unknown: unknown;
}
