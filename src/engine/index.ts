export {
  type HookOutput,
  type Outcome,
  type Payload,
  Problem,
  type RunRecord,
  stripControl,
  type Warning,
} from "../protocol/index.ts";
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
} from "./engine-type.ts";
export type { Explained, Explanation } from "./fire/explain.ts";
export type { ListedHook } from "./fire/list.ts";
export type { EventStep } from "./fire/stream.ts";
export type { ReloadReport } from "./live/reload-settings.ts";
export type { RegisterOptions, SessionHooks } from "./live/session-hooks.ts";
export type { StopHooks } from "./live/stop-hooks.ts";
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
export type { BackgroundAnswer, BackgroundEntry } from "./runners/background-hooks.ts";
export { wrapContext } from "./safe-text/display-text.ts";
export type { RulesInForce } from "./settings/permission-rules.ts";
export type { NotCovered } from "./trust/coverage/gather-files.ts";
export { approveGrants, openServerTrust, reviewTrust } from "./trust/door.ts";
export type { WrittenGrant } from "./trust/pinnable.ts";
export type { PinnedFile } from "./trust/pins.ts";
export type { ReviewedFile, TrustEntry, TrustPorts, TrustReview } from "./trust/review.ts";
export type { ServerTrust } from "./trust/server-trust.ts";
export type { CheckoutServer } from "./trust/servers.ts";
export type { Standing, TrustState } from "./trust/trust-state.ts";
