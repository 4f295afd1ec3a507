import { basename, join, resolve } from "node:path";
import { isInside, sha256 } from "../../files/internal.ts";
import { defined, fieldOf, isObject, type LayerKind, showValue, type Warning } from "../../protocol/internal.ts";
import { ownValue } from "./check-fields.ts";
import type { Rows } from "./check-hooks.ts";
import type { Layer, PluginRoot } from "./layer.ts";
import { keysAboutHooks } from "./misplaced-hooks.ts";
import { layerOf, readLayerFile, unreadableLayer } from "./read-layer.ts";
import { readValue, realPathOrNone } from "./settings-source.ts";

/**
 * The hooks of one plugin: `hooks/hooks.json`, then those that its manifest names or contains under `hooks`, as Claude Code reads it.
 * `settings` are the layers that may set its options.
 */
export async function pluginLayers(
  root: string,
  claudeHome: string,
  settings: readonly Layer[],
  rows: Rows,
): Promise<Layer[]> {
  const [, file] = pluginFiles(root);
  const manifest = await readPluginManifest(file, rows);
  const options = pluginOptions(manifest, settings);
  const plugin = defined({
    root,
    data: join(claudeHome, "plugins", "data", basename(root)),
    options: Object.keys(options).length === 0 ? undefined : options,
  });
  const layers = await hooksIn(plugin, manifest, rows);
  // A plugin may have several layers, or none; its manifest is reported once.
  const isOnlyReported = layers.length === 0 && manifest.warnings.length > 0;
  const [first, ...rest] = isOnlyReported ? [layerOf({ kind: "plugin", file, plugin }, {}, "", rows)] : layers;
  return first === undefined ? [] : [{ ...first, warnings: [...first.warnings, ...manifest.warnings] }, ...rest];
}

async function hooksIn(plugin: PluginRoot, manifest: PluginManifest, rows: Rows): Promise<readonly Layer[]> {
  const { root } = plugin;
  const { hooks, misplaced, unread } = manifest;
  const [hooksFile, manifestFile] = pluginFiles(root);
  const standard = { kind: "plugin", file: hooksFile, plugin } as const;
  const inManifest = { ...standard, file: manifestFile };
  const own = await readLayerFile(standard, rows);
  if (own === undefined && (await realPathOrNone(root)) === undefined)
    return [unreadableLayer(standard, `the directory of the plugin, ${root}, does not exist`)];
  // If the plugin has other hooks, the warnings of the manifest report this.
  if (own === undefined && unread !== undefined) return [unreadableLayer(inManifest, unread)];
  const further = await Promise.all((Array.isArray(hooks) ? hooks : [hooks]).map(manifestLayer));
  const other = misplaced && layerOf(inManifest, misplaced, sha256(JSON.stringify(misplaced)), rows);
  return [own, ...further, other].flatMap((layer) => layer ?? []);

  async function manifestLayer(given: unknown): Promise<Layer | undefined> {
    if (given === undefined) return undefined;
    if (typeof given !== "string") return layerOf(inManifest, { hooks: given }, sha256(JSON.stringify(given)), rows);
    const source = { ...inManifest, file: resolve(root, given) };
    if (!given.startsWith("./") || !isInside(source.file, root)) {
      const why = `hooks names ${showValue(given)}; a path begins with ./ and stays in the directory of the plugin`;
      return unreadableLayer(inManifest, why);
    }
    if (source.file === standard.file && own !== undefined) return undefined;
    const layer = await readLayerFile(source, rows);
    return layer ?? unreadableLayer(source, `${inManifest.file} names it and there is no such file`);
  }
}

/** The file with the hooks of a plugin, and its manifest. They may not exist. */
export function pluginFiles(root: string): readonly [hooks: string, manifest: string] {
  return [join(root, "hooks", "hooks.json"), join(root, ".claude-plugin", "plugin.json")];
}

/** The manifest of a plugin: its hooks, and the values that its user may set. */
interface PluginManifest {
  readonly name?: string;
  readonly userConfig: Readonly<Record<string, unknown>>;
  /** Hooks, or paths of files with hooks, as they are written there. */
  readonly hooks?: unknown;
  /** Hooks under a key such as `Hooks`. They are reported, and their guards deny. */
  readonly misplaced?: Readonly<Record<string, unknown>>;
  /** Why it cannot be read. */
  readonly unread?: string;
  readonly warnings: readonly Warning[];
}

/** Contract: never throws. A plugin without a manifest has no options. */
async function readPluginManifest(file: string, rows: Rows): Promise<PluginManifest> {
  const found = await readValue(file);
  if (found.is === "missing") return { userConfig: {}, warnings: [] };
  const unread = found.is === "unreadable" ? found.why : "it must hold an object";
  if (found.is === "unreadable" || !isObject(found.value)) {
    return { userConfig: {}, unread, warnings: [unusable(file, unread)] };
  }
  const { name, hooks } = found.value;
  const userConfig = found.value["userConfig"] ?? {};
  const isUsed = isObject(userConfig);
  const manifest = found.value;
  const misplaced = keysAboutHooks(manifest, rows).filter((key) => key !== "hooks");
  return {
    ...(typeof name === "string" && name !== "" ? { name } : {}),
    userConfig: isUsed ? userConfig : {},
    hooks,
    ...(misplaced.length > 0 ? { misplaced: Object.fromEntries(misplaced.map((key) => [key, manifest[key]])) } : {}),
    warnings: isUsed ? [] : [unusable(file, `userConfig must be an object, not ${showValue(userConfig)}`)],
  };
}

/**
 * The values of a plugin's options: those that settings give in `pluginConfigs`, managed before flag before user, else the default of
 * the manifest. An option with neither has no value. Settings of a checkout are ignored.
 */
function pluginOptions(
  { name, userConfig }: PluginManifest,
  layers: readonly Layer[],
): Readonly<Record<string, string>> {
  const given = name === undefined ? [] : (["managed", "flag", "user"] as const).flatMap(valuesIn);
  const options = Object.entries(userConfig).flatMap(([key, declared]): [string, string][] => {
    const choices = fieldOf(declared, "options");
    const isChoice = (value: unknown): boolean => !Array.isArray(choices) || choices.includes(value);
    const value = given.map((values) => ownValue(values, key)).find((one) => isUsable(one) && isChoice(one));
    const chosen = value ?? fieldOf(declared, "default");
    return isUsable(chosen) ? [[key, String(chosen)]] : [];
  });
  return Object.fromEntries(options);

  function valuesIn(kind: LayerKind): Readonly<Record<string, unknown>>[] {
    const own = layers.filter((layer) => layer.kind === kind).toReversed();
    return own.flatMap(({ settings }) => {
      const configs = settings.pluginConfigs ?? {};
      // A plugin that is given as a folder has the id `name@inline`, an installed one `name@marketplace`.
      const ids = Object.keys(configs).filter((id) => id === name || id.startsWith(`${name}@`));
      const id = ids.find((one) => one === `${name}@inline`) ?? ids.find((one) => one === name) ?? ids[0];
      const values = id === undefined ? undefined : fieldOf(configs[id], "options");
      return isObject(values) ? [values] : [];
    });
  }
}

function isUsable(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === "string");
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function unusable(file: string, why: string): Warning {
  const message = `${file} cannot be used: ${why}. The options of this plugin have no values.`;
  return { code: "settings-invalid", message, place: file };
}
