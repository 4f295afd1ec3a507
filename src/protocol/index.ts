/** Entry point hookline/protocol: events, settings, hooks, answers and outcomes as data and types. */
export {
  type Catalog,
  catalog,
  type EventInputs,
  type EventName,
  eventNames,
  isEventName,
  type Payload,
} from "./events/catalog.ts";
export type { CommonInput } from "./events/common-fields.ts";
export type {
  CatalogRow,
  EventRow,
  EventSpecials,
  MatchedField,
  Phase,
  StopEffect,
} from "./events/event-row.ts";
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
  HookAnswer,
  HookGroup,
  HookType,
  HttpHook,
  McpToolHook,
  PromptHook,
  StopFunction,
} from "./hook.ts";
export type {
  Decision,
  HookOutput,
  HookSpecificOutput,
  PermissionRequestAnswer,
  ToolInput,
  Verdict,
} from "./hook-output.ts";
export type {
  Ended,
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
export { Problem } from "./problem.ts";
export { type ProblemCode, problemCodes } from "./problem-codes.ts";
export type { LayerKind, PermissionSettings, Settings, StatusLineSetting } from "./settings.ts";
export { type Warning, type WarningCode, warningCodes } from "./warning-codes.ts";
