export type { AgentResult, Denial, ModelSpending } from "./agent-result.ts";
export { hooksFileIn } from "./app-command.ts";
export {
  abortSignal,
  amount,
  bad,
  type Check,
  checkNamed,
  flag,
  is,
  object,
  shown,
  text,
  texts,
  wholeNumber,
  work,
} from "./check-named.ts";
export { nearest } from "./did-you-mean.ts";
export {
  type Catalog,
  catalog,
  type EventInputs,
  type EventName,
  eventNames,
  isEventName,
  type Payload,
  rowOf,
} from "./events/catalog.ts";
export { type CommonInput, commonFields } from "./events/common-fields.ts";
export type {
  AnswerName,
  AppAnswer,
  AppSide,
  CatalogRow,
  EventRow,
  MatchedField,
  Phase,
  SpecialRules,
  StopEffect,
} from "./events/event-row.ts";
export { likelyMissed, likelyName, neverMatching } from "./events/matcher-names.ts";
export type { Field, Fields } from "./field.ts";
export { type ForeignName, foreignName } from "./foreign-names.ts";
export { guardedObserver } from "./guarded-observer.ts";
export type {
  AgentHook,
  Callback,
  CallbackHook,
  CommandHook,
  FailurePolicy,
  FileHook,
  FunctionHook,
  Hook,
  HookAnswer,
  HookGroup,
  HookType,
  HttpHook,
  McpToolHook,
  PromptHook,
  StopFunction,
} from "./hook.ts";
export { fileHookTypes, groupFields, type HookFields, hookFields } from "./hook.ts";
export {
  compareDecisions,
  type Decision,
  decisions,
  type HookOutput,
  type HookSpecificOutput,
  outputShapes,
  type PermissionAnswer,
  specificShapes,
  type ToolInput,
  type Verdict,
  type WireShape,
} from "./hook-output.ts";
export { defined, fieldOf, groupBy, isObject, parseJson, parseObject } from "./objects.ts";
export type {
  Answer,
  Ended,
  HookRef,
  ModelSpent,
  Outcome,
  OutcomeOutput,
  PermissionDestination,
  PermissionOutput,
  PermissionUpdate,
  RunRecord,
  Skip,
  SkipReason,
} from "./outcome.ts";
export { messageOf, missingPackage, Problem } from "./problem.ts";
export { type ProblemCode, problemCodes } from "./problem-codes.ts";
export { isSecretVariable, withoutSecrets } from "./secrets.ts";
export {
  type LayerKind,
  layerKinds,
  type PermissionSettings,
  type Settings,
  type StatusLineSetting,
  settingsFields,
} from "./settings.ts";
export { escapedJson, plainLine, plainText, stripControl, visible, visibleLines } from "./terminal-text.ts";
export { type Warning, type WarningCode, warningCodes } from "./warning-codes.ts";
export { fitsPieces, fitsWildcard } from "./wildcard.ts";
