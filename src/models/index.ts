/** Door `hookline/models`: ports to models. */
export { answerOf } from "./answer.ts";
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
export { joinTurns } from "./join-turns.ts";
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
export { type ModelName, parseModelName } from "./model-name.ts";
export { openModel } from "./open-model.ts";
export { type OpenaiCompatibleOptions, openaiCompatible } from "./openai/openai-compatible.ts";
export { providerKeys } from "./provider-keys.ts";
export { type RetryOptions, withRetry } from "./retry.ts";
export { readScript } from "./scripted/read-script.ts";
export type {
  Condition,
  Expectation,
  RequestPart,
  Script,
  ScriptedAnswer,
  ScriptedCall,
  ScriptedError,
} from "./scripted/script.ts";
export { type ScriptedModel, type ScriptedOptions, scripted } from "./scripted/scripted.ts";
