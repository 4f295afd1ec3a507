import { join, resolve } from "node:path";
import { catalog, defined, Problem, type Warning } from "../../protocol/internal.ts";
import type { WatchedPaths } from "../live/watch-files.ts";
import type { Rows } from "./check-hooks.ts";
import type { FrontmatterFile } from "./frontmatter-hooks.ts";
import type { Layer } from "./layer.ts";
import { pluginFiles, pluginLayers } from "./plugin-layers.ts";
import { hooksDisabled, readLayer, readLayerFile, unreadableLayer } from "./read-layer.ts";
import { managedFiles, namesIn, ownSettingsFiles, realPathOrNone, type SettingsPlaces } from "./settings-source.ts";

/**
 * All layers of settings from files, in configured order. `previous` are the layers in effect before: one that has become unreadable
 * keeps its last good content.
 *
 * Contract: a bad file is a layer with a warning. A file named by the caller that cannot be read is a `Problem`
 * (`settings/unreadable`), unless `previous` is given.
 */
export async function loadLayers(places: SettingsPlaces, previous?: readonly Layer[]): Promise<readonly Layer[]> {
  const { cwd, claudeHome, settingSources, settings = [], plugins = [], rows = catalog } = places;
  const reads: ReadsSource = (kind) => settingSources?.includes(kind) ?? true;
  const files = ownSettingsFiles(places);
  // One file is one layer: where the start folder is the home folder, its settings are the user's.
  const isUsers = reads("user") && (await isSamePlace(files.user, files.project));
  const fromFiles = Promise.all([
    managedLayers(places.managedFolder, rows),
    ...(["user", "project", "local"] as const)
      .filter((kind) => reads(kind) && !(kind === "project" && isUsers))
      .map((kind) => readLayerFile({ kind, file: files[kind] }, rows)),
    ...settings.map((given, index) => givenLayer(given, settings.length > 1 ? { index } : {}, cwd, rows)),
  ]).then((found) => found.flatMap((layer) => layer ?? []));
  const found = await Promise.all([
    fromFiles,
    ...plugins.map(async (folder) => pluginLayers(resolve(cwd, folder), claudeHome, await fromFiles, rows)),
    frontmatterLayers("skill", places, reads, rows),
    frontmatterLayers("agent", places, reads, rows),
  ]);
  const layers = found.flat();
  if (previous !== undefined) return layers.map((layer) => withLastGood(layer, previous));
  throwForGiven(layers);
  return layers;
}

type ReadsSource = (kind: "user" | "project" | "local") => boolean;

async function isSamePlace(a: string, b: string): Promise<boolean> {
  const [realA, realB] = await Promise.all([realPathOrNone(a), realPathOrNone(b)]);
  return realA !== undefined && realA === realB;
}

/** The files whose change may change a layer, even if they do not exist yet. In the folders, every file counts. */
export function settingsPaths(places: SettingsPlaces): WatchedPaths {
  const { cwd, claudeHome, settings = [], plugins = [] } = places;
  return {
    files: [
      join(places.managedFolder, "managed-settings.json"),
      ...Object.values(ownSettingsFiles(places)),
      ...settings.filter((text) => !isText(text)).map((file) => resolve(cwd, file)),
      ...plugins.flatMap((root) => pluginFiles(resolve(cwd, root))),
    ],
    folders: [
      join(places.managedFolder, "managed-settings.d"),
      ...[claudeHome, join(cwd, ".claude")].flatMap((folder) => [join(folder, "agents"), join(folder, "skills")]),
    ],
  };
}

async function managedLayers(folder: string, rows: Rows): Promise<Layer[]> {
  const { files, unlisted, misnamed = [] } = await managedFiles(folder);
  const found = await Promise.all(files.map((file) => readLayerFile({ kind: "managed", file }, rows)));
  const layer = unlisted && unreadableLayer({ kind: "managed", file: unlisted.folder }, unlisted.why);
  const notRead = misnamed.map((file) =>
    unreadableLayer({ kind: "managed", file }, "only files whose name ends with .json are read here"),
  );
  return [...found, layer, ...notRead].flatMap((one) => one ?? []);
}

/** A text that begins with a brace is the settings themselves, not their file. */
function isText(given: string): boolean {
  return given.trimStart().startsWith("{");
}

async function givenLayer(given: string, place: Pick<Layer, "index">, cwd: string, rows: Rows): Promise<Layer> {
  if (isText(given)) return readLayer({ kind: "flag", ...place }, Buffer.from(given), rows);
  const source = { kind: "flag", file: resolve(cwd, given) } as const;
  return (await readLayerFile(source, rows)) ?? unreadableLayer(source, "there is no such file");
}

/** The hooks of all agents or skills, one layer per file that has any: the user's first, then the project's. */
async function frontmatterLayers(
  of: FrontmatterFile["of"],
  { cwd, claudeHome }: SettingsPlaces,
  reads: ReadsSource,
  rows: Rows,
): Promise<Layer[]> {
  const user = join(claudeHome, `${of}s`);
  const project = join(cwd, ".claude", `${of}s`);
  const isUsers = reads("user") && (await isSamePlace(user, project));
  const found = await Promise.all([
    reads("user") ? layersIn(user, { of, from: "user" }, rows) : [],
    reads("project") && !isUsers ? layersIn(project, { of, from: "project" }, rows) : [],
  ]);
  return found.flat();
}

/** An agent is a file, a skill a folder with a file in it. */
async function layersIn(folder: string, origin: FrontmatterFile, rows: Rows): Promise<Layer[]> {
  const names = await namesIn(folder);
  if (!("why" in names) && names.length === 0) return [];
  const { frontmatterLayer, frontmatterSource } = await import("./frontmatter-hooks.ts");
  if ("why" in names) return [unreadableLayer(frontmatterSource(folder, origin), names.why)];
  const files =
    origin.of === "agent" ? names.filter((name) => name.endsWith(".md")) : names.map((name) => join(name, "SKILL.md"));
  const layers: Layer[] = [];
  // One after another: a checkout may have more files than a process may open at once.
  for (const name of files) {
    const layer = await frontmatterLayer(join(folder, name), origin, rows);
    if (layer !== undefined) layers.push(layer);
  }
  return layers;
}

/** A guard must not vanish while its file is being edited. */
function withLastGood(layer: Layer, previous: readonly Layer[]): Layer {
  if (layer.readable) return layer;
  const before = previous.find(({ kind, file }) => kind === layer.kind && file === layer.file && file !== undefined);
  if (before === undefined) return layer;
  const { settings, unusable } = before;
  if (Object.keys(settings).length === 0 && unusable === undefined) return layer;
  const warnings = layer.warnings.map((warning): Warning => {
    const message = `${warning.message.replace(hooksDisabled, "")} Its last good content stays in effect until it is fixed.`;
    return { ...warning, code: "settings-kept", message };
  });
  return { ...layer, settings, ...defined({ unusable }), warnings };
}

function throwForGiven(layers: readonly Layer[]): void {
  const bad = layers.find(({ kind, readable }) => kind === "flag" && !readable);
  if (bad === undefined) return;
  throw new Problem("settings/unreadable", bad.warnings[0]?.message ?? "", {
    about: { file: bad.file, place: bad.warnings[0]?.place },
  });
}
