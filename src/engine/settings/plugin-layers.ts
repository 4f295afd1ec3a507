import { basename, join, relative, resolve } from "node:path";
import { type Fs, sha256 } from "../../files/internal.ts";
import { isObject, type LayerKind, showValue, type Warning } from "../../protocol/internal.ts";
import { ownValue } from "./check-fields.ts";
import type { Rows } from "./check-hooks.ts";
import type { Layer } from "./layer.ts";
import { type LayerSource, layerOf, readLayer, unreadableLayer } from "./read-layer.ts";
import { readSettingsSource, readValue, realPathOrNone } from "./settings-source.ts";

/** The hooks of one plugin: `hooks/hooks.json`, then what its manifest names or holds under `hooks`, as the client reads it. */
export async function pluginLayers(root: string, clientHome: string, fs: Fs, rows: Rows): Promise<Layer[]> {
  const plugin = { root, data: join(clientHome, "plugins", "data", basename(root)) };
  const standard: PluginSource = { kind: "plugin", file: join(root, "hooks", "hooks.json"), plugin };
  const inManifest: PluginSource = { ...standard, file: manifestFile(root) };
  const own = await fileLayer(standard);
  if (own.length === 0 && (await realPathOrNone(root, fs)) === undefined) {
    return [unreadableLayer(standard, `the plugin folder ${root} does not exist`)];
  }
  const { hooks, unread } = await readPluginManifest(root, fs);
  // Beside hooks of its own file the options report it.
  if (unread !== undefined && own.length === 0) return [unreadableLayer(inManifest, unread)];
  const further = await Promise.all((Array.isArray(hooks) ? hooks : [hooks]).map(manifestLayer));
  return [...own, ...further.flat()];

  async function manifestLayer(given: unknown): Promise<Layer[]> {
    if (given === undefined) return [];
    if (typeof given !== "string") return [layerOf(inManifest, { hooks: given }, hashOf(given), rows)];
    const source = { ...inManifest, file: resolve(root, given) };
    const way = relative(root, source.file);
    if (!given.startsWith("./") || way === ".." || way.startsWith("../")) {
      return [
        unreadableLayer(
          inManifest,
          `hooks names ${showValue(given)}; a path begins with ./ and stays in the plugin's folder`,
        ),
      ];
    }
    if (source.file === standard.file) return [];
    const found = await fileLayer(source);
    return found.length > 0
      ? found
      : [unreadableLayer(source, `${inManifest.file} names it and there is no such file`)];
  }

  async function fileLayer(source: PluginSource): Promise<Layer[]> {
    const found = await readSettingsSource(source.file, fs);
    if (found.is === "missing") return [];
    return [found.is === "read" ? readLayer(source, found.bytes, rows) : unreadableLayer(source, found.why)];
  }
}

type PluginSource = LayerSource & { readonly kind: "plugin"; readonly file: string };

function hashOf(value: unknown): string {
  return sha256(JSON.stringify(value));
}

/** What a plugin's manifest says about values that its user may set. */
interface PluginManifest {
  readonly name?: string;
  readonly userConfig: Readonly<Record<string, unknown>>;
  /** Hooks of its own or paths of files with hooks, as they are written there. */
  readonly hooks?: unknown;
  /** Why it cannot be read. */
  readonly unread?: string;
  readonly warnings: readonly Warning[];
}

/** Where a plugin says what it is called and what can be configured. */
export function manifestFile(root: string): string {
  return join(root, ".claude-plugin", "plugin.json");
}

/** Contract: never throws. A plugin without a manifest has no options. */
export async function readPluginManifest(root: string, fs: Fs): Promise<PluginManifest> {
  const file = manifestFile(root);
  const found = await readValue(file, fs);
  if (found.is === "missing") return { userConfig: {}, warnings: [] };
  const unread = found.is === "unreadable" ? found.why : "it must hold an object";
  if (found.is === "unreadable" || !isObject(found.value)) {
    return { userConfig: {}, unread, warnings: [unusable(file, unread)] };
  }
  const name = ownValue(found.value, "name");
  const userConfig = ownValue(found.value, "userConfig") ?? {};
  return {
    ...(typeof name === "string" && name !== "" ? { name } : {}),
    userConfig: isObject(userConfig) ? userConfig : {},
    hooks: ownValue(found.value, "hooks"),
    warnings: isObject(userConfig)
      ? []
      : [unusable(file, `userConfig must be an object, not ${showValue(userConfig)}`)],
  };
}

/**
 * The values of a plugin's options: what settings say in `pluginConfigs`, managed before flag before user, else the default in the
 * manifest. An option with neither has no value. Settings of a checkout have no say.
 */
export function pluginOptions(
  { name, userConfig }: PluginManifest,
  layers: readonly Layer[],
): Readonly<Record<string, string>> {
  const given = name === undefined ? [] : ["managed" as const, "flag" as const, "user" as const].flatMap(valuesIn);
  const options = Object.entries(userConfig).flatMap(([key, declared]): [string, string][] => {
    const choices = isObject(declared) ? ownValue(declared, "options") : undefined;
    const value = given.map((values) => ownValue(values, key)).find((one) => isUsable(one) && isChoice(one, choices));
    const chosen = value ?? (isObject(declared) ? ownValue(declared, "default") : undefined);
    return isUsable(chosen) ? [[key, String(chosen)]] : [];
  });
  return Object.fromEntries(options);

  function valuesIn(kind: LayerKind): Readonly<Record<string, unknown>>[] {
    const own = layers.filter((layer) => layer.kind === kind).toReversed();
    return own.flatMap(({ settings }) => {
      const configs = settings.pluginConfigs ?? {};
      // A plugin that is given as a folder is called `name@inline`; installed, `name@marketplace`.
      const ids = Object.keys(configs).filter((id) => id === name || id.startsWith(`${name}@`));
      const id = ids.find((one) => one === `${name}@inline`) ?? ids.find((one) => one === name) ?? ids[0];
      const config = id === undefined ? undefined : configs[id];
      const values = isObject(config) ? ownValue(config, "options") : undefined;
      return isObject(values) ? [values] : [];
    });
  }
}

function isUsable(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === "string");
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function isChoice(value: unknown, choices: unknown): boolean {
  return !Array.isArray(choices) || choices.includes(value);
}

function unusable(file: string, why: string): Warning {
  const message = `${file} cannot be used: ${why}. The options of this plugin have no values.`;
  return { code: "settings-invalid", message, place: file };
}
