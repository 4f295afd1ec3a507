export {
  type HookOutput,
  type Outcome,
  type Payload,
  Problem,
  type RunRecord,
  stripControl,
  type Warning,
} from "../protocol/index.ts";
export type { BackgroundAnswer, BackgroundEntry } from "./background.ts";
export { wrapContext } from "./display.ts";
export { diagnose } from "./doctor/door.ts";
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
} from "./event-types.ts";
export type { Explained, Explanation } from "./explain.ts";
export type { ListedHook } from "./list.ts";
export type { ReloadReport } from "./live-settings.ts";
export { openEngine } from "./open.ts";
export { openRules } from "./open-rules.ts";
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
export type { RulesInForce } from "./rules.ts";
export type { RegisterOptions, SessionHooks } from "./session-hooks.ts";
export type { StopHooks } from "./stop-hooks.ts";
export type { EventStep } from "./stream.ts";
export type { NotCovered } from "./trust/covered/gathering.ts";
export { approveGrants, openServerTrust, reviewTrust } from "./trust/door.ts";
export type { WrittenGrant } from "./trust/pinnable.ts";
export type { PinnedFile } from "./trust/pins.ts";
export type { ReviewedFile, TrustEntry, TrustPorts, TrustReview } from "./trust/review.ts";
export type { ServerTrust } from "./trust/server-trust.ts";
export type { CheckoutServer } from "./trust/servers.ts";
export type { Standing, TrustState } from "./trust/trust.ts";
