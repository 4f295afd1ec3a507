export { clientHome, managedFolder } from "../resolve-options.ts";
export { configureGroup, type GroupPlace } from "./configure.ts";
export { type Change, type EditedFile, type EditOptions, editSettings } from "./edit.ts";
export { type Edit, type Edited, editText, type Made } from "./edit-text.ts";
export { type LoadOptions, loadLayers, type SettingsPlaces, settingsFiles } from "./layers.ts";
export type { JsonPath } from "./locate.ts";
export { type Effective, mergeLayers, type PolicyList } from "./merge.ts";
export { type LayerSource, nameOf, readLayer } from "./read.ts";
export { type Snapshot, type SnapshotOptions, takeSnapshot } from "./snapshot.ts";
