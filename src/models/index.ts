/** Entry point `hookline/models`: ports to models. Unstable until 1.0. */
export type { ModelUsage } from "../protocol/internal.ts";
export { type AnthropicOptions, anthropic } from "./anthropic/anthropic.ts";
export { type Effort, type KnownModel, knownModel } from "./anthropic/known-models.ts";
export { type FailureClass, failureOf, worthFallback } from "./failure.ts";
export type {
  AnswerBlock,
  Base64Source,
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
  Purpose,
  StopReason,
  ToolChoice,
  ToolDefinition,
} from "./model.ts";
export { answerOf } from "./model.ts";
export { openModel } from "./open-model.ts";
export { type OpenaiCompatibleOptions, openaiCompatible } from "./openai/openai-compatible.ts";
export { type RetryOptions, withRetry } from "./retry.ts";
export type {
  AnswerCondition,
  Expectation,
  ModelScript,
  RequestPart,
  ScriptedAnswer,
  ScriptedCall,
  ScriptedError,
} from "./scripted/script.ts";
export { type ScriptedModel, type ScriptedOptions, scripted } from "./scripted/scripted.ts";
