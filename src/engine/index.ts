export {
  type HookOutput,
  type Outcome,
  type Payload,
  Problem,
  type RunRecord,
  stripControl,
  type Warning,
} from "../protocol/internal.ts";
export { type Finding, type FindingCode, type FindingLevel, findingCodes } from "./doctor/finding.ts";
export type { Engine } from "./engine.ts";
export type {
  EventPayload,
  FireOptions,
  Handler,
  HandlerAnswer,
  HandlerOptions,
  HookProgress,
  KnownEvent,
  NoOwnEvents,
  OwnEvents,
  RunStep,
} from "./engine-type.ts";
export type { Explained, Explanation, ListedHook } from "./fire/explain.ts";
export type { EventStep } from "./fire/in-flight.ts";
export type { ReloadReport } from "./live/reload-settings.ts";
export type { RegisterOptions, SessionHooks, StopHooks } from "./live/session-hooks.ts";
export { approveGrants, diagnose, openEngine, openRules, openServerTrust, reviewTrust } from "./open.ts";
export type { EngineOptions } from "./options.ts";
export type {
  AgentPort,
  Asker,
  Clock,
  Judge,
  Judged,
  McpPort,
  McpResult,
  ModelCall,
  ModelPort,
  ModelReply,
  Notice,
  Ports,
  Question,
  SpentReport,
  WakeCall,
} from "./ports.ts";
export type { BackgroundAnswer, BackgroundEntry } from "./runners/background-hooks.ts";
export { wrapContext } from "./safe-text/display-text.ts";
export type { RulesInForce } from "./settings/permission-rules.ts";
export type { NotCovered } from "./trust/coverage/gather-files.ts";
export type { PinnedFile, WrittenGrant } from "./trust/pins.ts";
export type { ReviewedFile, TrustEntry, TrustPorts, TrustReview } from "./trust/review.ts";
export type { CheckoutServer, ServerTrust } from "./trust/server-trust.ts";
export type { Standing, TrustState } from "./trust/trust-state.ts";
