/** Door `hookline/models`: ports to models. */

export { type AnthropicOptions, anthropic } from "./anthropic/anthropic.ts";
export {
  defaultModel,
  type Effort,
  efforts,
  endOfLifeNotice,
  type KnownModel,
  knownModel,
} from "./anthropic/known-models.ts";
export { type FailureClass, failureOf, worthFallback, worthRetrying } from "./failure.ts";
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
export { joinTurns } from "./message.ts";
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
export { answerOf } from "./model.ts";
export { type ModelName, openModel, parseModelName, providerKeys } from "./open-model.ts";
export { type OpenaiCompatibleOptions, openaiCompatible } from "./openai/openai-compatible.ts";
export { type RetryOptions, withRetry } from "./retry.ts";
export type {
  Condition,
  Expectation,
  RequestPart,
  Script,
  ScriptedAnswer,
  ScriptedCall,
  ScriptedError,
} from "./scripted/script.ts";
export { readScript } from "./scripted/script.ts";
export { type ScriptedModel, type ScriptedOptions, scripted } from "./scripted/scripted.ts";
