/** What other modules of the package use. Loads the functions of settings only; `open.ts` loads the engine when it is called. */
export { type Finding, findingCodes } from "./doctor/finding.ts";
export type { CallbackHandler, Engine, EventPayload } from "./engine-type.ts";
export type { Explained, Explanation, ListedHook } from "./fire/explain.ts";
export type { EventStep, HookProgress, RunStep } from "./fire/in-flight.ts";
export type { StopHooks } from "./live/session-hooks.ts";
export { approveGrants, diagnose, openEngine, openRules, openServerTrust, refusedUrls, reviewTrust } from "./open.ts";
export { clientHome, type EngineOptions, managedFolder } from "./options.ts";
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
  Notice,
  Ports,
  Question,
  SpentReport,
  WakeRequest,
} from "./ports.ts";
export { wrapContext } from "./safe-text/display-text.ts";
export { misspelledKeys } from "./settings/check-fields.ts";
export { type ClientFault, clientFault, clientFaultText, clientReadWarnings } from "./settings/client-fault.ts";
export type { PermissionRules } from "./settings/compiled-rules.ts";
export { type FrontmatterFault, mentionsHooks, readFrontmatter } from "./settings/frontmatter-hooks.ts";
export { type EditedFile, editSettings, type PlanEdits } from "./settings/json/edit-file.ts";
export { withoutComments } from "./settings/json/edit-items.ts";
export { type Edit, editText, type JsonPath } from "./settings/json/edit-text.ts";
export { lockedSurfaces, locksOf, nameOf } from "./settings/layer.ts";
export { loadLayers } from "./settings/load-layers.ts";
export { mergeLayers } from "./settings/merge-layers.ts";
export {
  managedFiles,
  readSourceText,
  readValue,
  realFile,
  realPathOrNone,
  valueIn,
} from "./settings/settings-source.ts";
export type { NotCovered } from "./trust/coverage/gather-files.ts";
export type { ReviewedFile, TrustEntry, TrustReview } from "./trust/review.ts";
export type { ServerTrust } from "./trust/server-trust.ts";
export type { PinnedFile } from "./trust/trust-state.ts";
