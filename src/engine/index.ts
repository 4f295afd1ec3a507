/** Entry point `hookline`: open an engine on the settings of a folder and fire events. */
export type { JudgeContext, Judgement, Mode, Policy, RuleLayer, RuleScope } from "../permissions/internal.ts";
export {
  type CallbackHook,
  type CommonInput,
  type Decision,
  type Ended,
  type EventName,
  type EventRow,
  type FailurePolicy,
  type FileHook,
  type FunctionHook,
  type Hook,
  type HookAnswerRecord,
  type HookGroup,
  type HookModelUsage,
  type HookOutput,
  type HookRef,
  type HookSpecificOutput,
  type HookType,
  type LayerKind,
  type Outcome,
  type OutcomeOutput,
  type Payload,
  type PermissionDestination,
  type PermissionOutput,
  type PermissionUpdate,
  Problem,
  type ProblemCode,
  type RunRecord,
  type Settings,
  type Skip,
  type SkipReason,
  stripControl,
  type ToolInput,
  type Verdict,
  type Warning,
  type WarningCode,
} from "../protocol/internal.ts";
export type {
  CallbackHandler,
  CallbackOptions,
  Engine,
  EventPayload,
  FireOptions,
  HandlerAnswer,
  KnownEvent,
  NoOwnEvents,
  OwnEvents,
} from "./engine-type.ts";
export type { Explained, Explanation, ListedHook } from "./fire/explain.ts";
export type { EventStep, HookProgress, ProgressListener, RunStep } from "./fire/in-flight.ts";
export type { AnyPayload } from "./fire/payload.ts";
export type { RefusedChange } from "./live/confirm-changes.ts";
export type { ReloadReport } from "./live/effective-settings.ts";
export type { RegisterOptions, SessionHooks, StopHooks } from "./live/session-hooks.ts";
export { approveGrants, openEngine, openRules, reviewTrust } from "./open.ts";
export type { EngineOptions, Environment } from "./options.ts";
export type {
  AgentPort,
  Asker,
  Clock,
  Judge,
  JudgeAnswer,
  McpPort,
  McpResult,
  ModelPort,
  ModelQuestion,
  ModelReply,
  Notice,
  Ports,
  Question,
  SpentReport,
  WakeRequest,
} from "./ports.ts";
export type { BackgroundAnswer, BackgroundEntry } from "./runners/background-hooks.ts";
export { wrapContext } from "./safe-text/display-text.ts";
export type { PermissionRules } from "./settings/compiled-rules.ts";
export type { NotCovered } from "./trust/coverage/gather-files.ts";
export type { ReviewedFile, TrustEntry, TrustPorts, TrustReview } from "./trust/review.ts";
export type { PinnedFile, TrustState, WrittenGrant } from "./trust/trust-state.ts";
