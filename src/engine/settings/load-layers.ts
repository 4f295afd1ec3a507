import { join, resolve } from "node:path";
import { type Fs, ignoringErrors, nodeFs } from "../../files/internal.ts";
import { catalog, Problem } from "../../protocol/internal.ts";
import type { Rows } from "./check-hooks.ts";
import type { FrontmatterFile } from "./frontmatter-hooks.ts";
import type { Layer } from "./layer.ts";
import { manifestFile, pluginLayers, pluginOptions, readPluginManifest } from "./plugin-layers.ts";
import { type LayerSource, nameOf, readLayer, unreadableLayer } from "./read-layer.ts";
import { managedFiles, namesIn, readSettingsSource, realPathOrNone } from "./settings-source.ts";

/** Where settings are. Only the host sets it; no file can change it. */
export interface SettingsPlaces {
  /** The start folder: project and local settings are this folder's, no parent's. */
  readonly cwd: string;
  /** Where the client keeps its own files, such as `~/.claude`. */
  readonly clientHome: string;
  readonly managedFolder: string;
  /** Further files, or JSON texts, in the order given. */
  readonly settings?: readonly string[];
  /** Folders of plugins. */
  readonly plugins?: readonly string[];
  /** Which of these three are read; all by default. */
  readonly settingSources?: readonly ("user" | "project" | "local")[];
}

export interface LoadLayersOptions {
  readonly fs?: Fs;
  readonly rows?: Rows;
  /** What was in force before: a layer that has become unreadable keeps its last good content. */
  readonly previous?: readonly Layer[];
}

/**
 * Every layer of settings that a file can hold, in configured order, read afresh.
 *
 * Contract: a bad file is a layer with a warning. Only a file named by the caller that cannot be read is a `Problem`
 * (`settings/unreadable`), and that only when nothing was in force before.
 */
export async function loadLayers(places: SettingsPlaces, options: LoadLayersOptions = {}): Promise<readonly Layer[]> {
  const { fs = nodeFs, rows = catalog, previous } = options;
  const loader = { fs, rows };
  const reads = (kind: "user" | "project" | "local"): boolean => places.settingSources?.includes(kind) ?? true;
  const user = join(places.clientHome, "settings.json");
  const own = join(places.cwd, ".claude");
  // One file is one layer: where the start folder is the home folder, its settings are the user's.
  const [userReal, projectReal] = await Promise.all([
    realPathOrNone(user, fs),
    realPathOrNone(join(own, "settings.json"), fs),
  ]);
  const found = await Promise.all([
    managedLayers(places.managedFolder, loader),
    reads("user") ? fileLayer({ kind: "user", file: user }, loader) : [],
    !reads("project") || (reads("user") && userReal !== undefined && userReal === projectReal)
      ? []
      : fileLayer({ kind: "project", file: join(own, "settings.json") }, loader),
    reads("local") ? fileLayer({ kind: "local", file: join(own, "settings.local.json") }, loader) : [],
    ...(places.settings ?? []).map((given) => givenLayer(given, places.cwd, loader)),
    ...(places.plugins ?? []).map((folder) => pluginLayers(resolve(places.cwd, folder), places.clientHome, fs, rows)),
    frontmatterLayers("skill", places, loader),
    frontmatterLayers("agent", places, loader),
  ]);
  const layers = await Promise.all(found.flat().map((layer, _, all) => withOptions(layer, all, fs)));
  const kept = previous === undefined ? layers : layers.map((layer) => withLastGood(layer, previous));
  if (previous === undefined) throwForGiven(kept);
  return kept;
}

/** The files whose change may change a layer, whether they are there yet or not; of a folder, all that is in it. */
export function settingsPaths(places: SettingsPlaces): {
  readonly files: readonly string[];
  readonly folders: readonly string[];
} {
  const own = join(places.cwd, ".claude");
  const given = (places.settings ?? []).filter((text) => !isText(text)).map((file) => resolve(places.cwd, file));
  return {
    files: [
      join(places.managedFolder, "managed-settings.json"),
      join(places.clientHome, "settings.json"),
      join(own, "settings.json"),
      join(own, "settings.local.json"),
      ...given,
      ...(places.plugins ?? []).flatMap((root) => {
        const folder = resolve(places.cwd, root);
        return [join(folder, "hooks", "hooks.json"), manifestFile(folder)];
      }),
    ],
    folders: [
      join(places.managedFolder, "managed-settings.d"),
      ...[places.clientHome, own].flatMap((folder) => [join(folder, "agents"), join(folder, "skills")]),
    ],
  };
}

interface Loader {
  readonly fs: Fs;
  readonly rows: Rows;
}

async function fileLayer(source: LayerSource & { file: string }, { fs, rows }: Loader): Promise<Layer[]> {
  const found = await readSettingsSource(source.file, fs);
  if (found.is === "missing") {
    // Policy behind a link whose target is away, as on a volume that is not mounted, is there and cannot be read.
    const link =
      source.kind === "managed" ? await ignoringErrors(["ENOENT", "ENOTDIR"], fs.lstat(source.file)) : undefined;
    return link?.isSymbolicLink() ? [unreadableLayer(source, "it is a link to a file that does not exist")] : [];
  }
  return [found.is === "read" ? readLayer(source, found.bytes, rows) : unreadableLayer(source, found.why)];
}

async function managedLayers(folder: string, loader: Loader): Promise<Layer[]> {
  const { files, unlisted } = await managedFiles(folder, loader.fs);
  const layers = (await Promise.all(files.map((file) => fileLayer({ kind: "managed", file }, loader)))).flat();
  if (unlisted === undefined) return layers;
  return [...layers, unreadableLayer({ kind: "managed", file: unlisted.folder }, unlisted.why)];
}

/** What begins with a brace is the settings themselves, not their file. */
function isText(given: string): boolean {
  return given.trimStart().startsWith("{");
}

async function givenLayer(given: string, cwd: string, loader: Loader): Promise<Layer[]> {
  if (isText(given)) return [readLayer({ kind: "flag" }, Buffer.from(given), loader.rows)];
  const source = { kind: "flag", file: resolve(cwd, given) } as const;
  const found = await fileLayer(source, loader);
  return found.length > 0 ? found : [unreadableLayer(source, "there is no such file")];
}

/** The hooks of all agents or skills, one layer per file that has any: the user's first, then the project's. */
async function frontmatterLayers(
  of: FrontmatterFile["of"],
  { cwd, clientHome, settingSources = ["user", "project"] }: SettingsPlaces,
  loader: Loader,
): Promise<Layer[]> {
  const user = join(clientHome, `${of}s`);
  const project = join(cwd, ".claude", `${of}s`);
  const [userReal, projectReal] = await Promise.all([
    realPathOrNone(user, loader.fs),
    realPathOrNone(project, loader.fs),
  ]);
  const isSame = userReal !== undefined && userReal === projectReal;
  const readsUser = settingSources.includes("user");
  const found = await Promise.all([
    readsUser ? layersIn(user, { of, from: "user" }, loader) : [],
    !settingSources.includes("project") || (isSame && readsUser)
      ? []
      : layersIn(project, { of, from: "project" }, loader),
  ]);
  return found.flat();
}

/** An agent is a file, a skill a folder with a file in it. */
async function layersIn(folder: string, origin: FrontmatterFile, { fs, rows }: Loader): Promise<Layer[]> {
  const names = await namesIn(folder, fs);
  if (!("why" in names) && names.length === 0) return [];
  const { frontmatterLayer, frontmatterSource } = await import("./frontmatter-hooks.ts");
  if ("why" in names) return [unreadableLayer(frontmatterSource(folder, origin), names.why)];
  const files =
    origin.of === "agent" ? names.filter((name) => name.endsWith(".md")) : names.map((name) => join(name, "SKILL.md"));
  const layers: Layer[] = [];
  // One after another: a checkout may have more files than a process may open at once.
  for (const name of files) {
    const layer = await frontmatterLayer(join(folder, name), origin, fs, rows);
    if (layer !== undefined) layers.push(layer);
  }
  return layers;
}

/** What a plugin's hooks may know of its configuration. */
async function withOptions(layer: Layer, all: readonly Layer[], fs: Fs): Promise<Layer> {
  if (layer.kind !== "plugin" || layer.plugin === undefined) return layer;
  const manifest = await readPluginManifest(layer.plugin.root, fs);
  const options = pluginOptions(manifest, all);
  const plugin = Object.keys(options).length === 0 ? layer.plugin : { ...layer.plugin, options };
  // A plugin may have several layers; what its manifest lacks is said once.
  const isFirst = all.find((other) => other.plugin?.root === layer.plugin?.root) === layer;
  return { ...layer, plugin, warnings: [...layer.warnings, ...(isFirst ? manifest.warnings : [])] };
}

/** A guard must not vanish because somebody is in the middle of editing its file. */
function withLastGood(layer: Layer, previous: readonly Layer[]): Layer {
  if (layer.readable) return layer;
  const before = previous.find(({ kind, file }) => kind === layer.kind && file === layer.file && file !== undefined);
  if (before === undefined || Object.keys(before.settings).length === 0) return layer;
  const name = nameOf(layer);
  const kept = {
    code: "settings-kept",
    message: `${name} cannot be read now; its last good content stays in force.`,
    place: name,
  } as const;
  return { ...layer, settings: before.settings, warnings: [...layer.warnings, kept] };
}

function throwForGiven(layers: readonly Layer[]): void {
  const bad = layers.find(({ kind, readable }) => kind === "flag" && !readable);
  if (bad === undefined) return;
  throw new Problem("settings/unreadable", bad.warnings[0]?.message ?? "", {
    about: { file: bad.file, place: bad.warnings[0]?.place },
  });
}
