/** Door `hookline/models`: ports to models. */
export type {
  AnswerBlock,
  ByteSource,
  ContentBlock,
  DocumentBlock,
  ImageBlock,
  Message,
  RedactedThinkingBlock,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolUseBlock,
} from "./message.ts";
export type {
  Model,
  ModelEnd,
  ModelError,
  ModelEvent,
  ModelRequest,
  ModelRetry,
  ModelUsage,
  Purpose,
  StopReason,
  ToolChoice,
  ToolDefinition,
} from "./model.ts";
