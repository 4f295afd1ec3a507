export { clientHome, managedFolder } from "./options.ts";
export { type AdmittedUrl, admitUrl, type UrlPolicy } from "./runners/http/destination.ts";
export { shown } from "./safe-text/display-text.ts";
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
