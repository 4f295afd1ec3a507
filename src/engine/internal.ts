/** What other modules of the package use. Loads the functions of settings only; `open.ts` loads the engine when it is called. */

export { type Finding, findingCodes } from "./doctor/finding.ts";
export * from "./index.ts";
export { diagnose, openServerTrust, refusedUrls } from "./open.ts";
export { claudeHome, managedFolder } from "./options.ts";
export { misspelledKeys } from "./settings/check-fields.ts";
export {
  type ClaudeCodeFault,
  claudeCodeFault,
  claudeCodeFaultText,
  claudeCodeWarnings,
} from "./settings/claude-code-fault.ts";
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
export type { ServerTrust } from "./trust/server-trust.ts";
