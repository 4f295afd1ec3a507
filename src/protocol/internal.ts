export type { AgentResult, Denial, ModelSpending } from "./agent-result.ts";
export { closestName, didYouMean, isMisspelling } from "./did-you-mean.ts";
export {
  type Catalog,
  catalog,
  type EventInputs,
  type EventName,
  eventNames,
  eventRow,
  isEventName,
  type Payload,
} from "./events/catalog.ts";
export { type CommonInput, commonFields } from "./events/common-fields.ts";
export type { AnswerName, AppMethod, CatalogRow, EventRow, EventSpecials, MatchedField } from "./events/event-row.ts";
export {
  foreignName,
  foreignNameText,
  handlersThatNeverRun,
  intendedInPattern,
  intendedInWildcard,
  intendedName,
} from "./events/known-names.ts";
export type { Field, Fields } from "./field.ts";
export type {
  AgentHook,
  Callback,
  CallbackHook,
  CommandHook,
  FailurePolicy,
  FileHook,
  FunctionHook,
  Hook,
  HookGroup,
  HookType,
  HttpHook,
  McpToolHook,
  PromptHook,
  StopFunction,
} from "./hook.ts";
export { fileHookTypes, groupFields, hookFields, hooksFileOfCommand, inProcessFields } from "./hook.ts";
export {
  type Decision,
  eventOutputFields,
  type HookOutput,
  type HookSpecificOutput,
  hookOutputFields,
  type ToolInput,
  type Verdict,
} from "./hook-output.ts";
export { changesOf, type Hunk, hunkOf, patchOf } from "./line-diff.ts";
export {
  attempt,
  defined,
  fieldOf,
  groupBy,
  isObject,
  lazy,
  memoized,
  parseJson,
  parseObject,
  succeeds,
  textField,
  unlessAborted,
} from "./objects.ts";
export { badOption, checkAll, checkNamed, checkOf, mustBe, type OptionCheck, oneOfCheck } from "./option-checks.ts";
export type {
  Ended,
  HookAnswerRecord,
  HookModelUsage,
  HookRef,
  Outcome,
  OutcomeOutput,
  PermissionDestination,
  PermissionOutput,
  PermissionUpdate,
  RunRecord,
  Skip,
  SkipReason,
} from "./outcome.ts";
export { callHost, guardedObserver, loadPackage, messageOf, Problem, showValue } from "./problem.ts";
export type { ProblemCode } from "./problem-codes.ts";
export { escapeRegExp, isSecretVariable, withoutSecrets } from "./secrets.ts";
export {
  type LayerKind,
  layerKinds,
  type PermissionSettings,
  type Settings,
  type StatusLineSetting,
  settingsFields,
} from "./settings.ts";
export { escapeControls, escapeJson, escapeLines, plainLine, plainText, stripControl } from "./terminal-text.ts";
export { ruleWarningCodes, type Warning, type WarningCode } from "./warning-codes.ts";
export { fitsPieces, fitsWildcard } from "./wildcard.ts";
