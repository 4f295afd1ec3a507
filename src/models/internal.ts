/** What the agent and the command line use of the models. */
export { anthropic } from "./anthropic/anthropic.ts";
export { efforts, endOfLifeNotice, knownModel } from "./anthropic/known-models.ts";
export { failureOf, worthFallback } from "./failure.ts";
export {
  type Base64Source,
  blocksIn,
  type ContentBlock,
  joinTurns,
  type Message,
  type TextBlock,
  type ToolResultBlock,
  type ToolUseBlock,
  textIn,
} from "./message.ts";
export {
  answerOf,
  eventsOf,
  incompleteAnswer,
  type Model,
  type ModelEnd,
  type ModelError,
  type ModelEvent,
  type ModelRequest,
  type ModelRetry,
  type ModelUsage,
  noUsage,
  type Purpose,
  type ToolChoice,
  type ToolDefinition,
} from "./model.ts";
export { openModel, providerKeys } from "./open-model.ts";
export { withRetry } from "./retry.ts";
export { type ModelScript, parseScript, type ScriptedAnswer, type ScriptedCall } from "./scripted/script.ts";
export { type ScriptedModel, scripted } from "./scripted/scripted.ts";
