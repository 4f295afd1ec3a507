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
export { clientHome, managedFolder } from "./options.ts";
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
export { type AdmittedUrl, admitUrl, type UrlPolicy } from "./runners/http/destination.ts";
export { wrapContext } from "./safe-text/display-text.ts";
export { misspelledKeys } from "./settings/check-fields.ts";
export { type ClientFault, clientFault, clientFaultText, clientReadWarnings } from "./settings/client-fault.ts";
export { configureGroup, type GroupPlace } from "./settings/configure-hooks.ts";
export { type FrontmatterFault, readFrontmatter } from "./settings/frontmatter-hooks.ts";
export { type Change, type EditedFile, type EditOptions, editSettings } from "./settings/json/edit-file.ts";
export type { JsonPath } from "./settings/json/edit-text.ts";
export { type Edit, type Edited, editText, type Made } from "./settings/json/edit-text.ts";
export { withoutComments } from "./settings/json/json-layout.ts";
export { lockedSurfaces, locksOf } from "./settings/layer-limits.ts";
export { type LoadOptions, loadLayers, type SettingsPlaces, settingsFiles } from "./settings/load-layers.ts";
export { type Effective, mergeLayers, type PolicyList } from "./settings/merge-layers.ts";
export type { RulesInForce } from "./settings/permission-rules.ts";
export { type LayerSource, nameOf, readLayer } from "./settings/read-layer.ts";
export {
  type FileValue,
  managedFiles,
  readSourceText,
  readValue,
  realPath,
  valueIn,
} from "./settings/settings-source.ts";
export { type Snapshot, type SnapshotOptions, takeSnapshot } from "./settings/snapshot.ts";
export type { NotCovered } from "./trust/coverage/gather-files.ts";
export type { PinnedFile, WrittenGrant } from "./trust/pins.ts";
export type { ReviewedFile, TrustEntry, TrustPorts, TrustReview } from "./trust/review.ts";
export type { CheckoutServer, ServerTrust } from "./trust/server-trust.ts";
export type { Standing, TrustState } from "./trust/trust-state.ts";
