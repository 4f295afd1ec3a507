import { sha256 } from "../../files/internal.ts";
import { catalog, isObject, type Settings, showValue, type Warning } from "../../protocol/internal.ts";
import { misspelledKeys, ownValue, warningAt } from "./check-fields.ts";
import { checkHooks, type HooksSource, type Rows } from "./check-hooks.ts";
import { checkKeys } from "./check-keys.ts";
import { faultText, parseJsonc, plainValue } from "./json/jsonc.ts";
import type { Layer } from "./layer.ts";
import { decodeUtf8, maxSettingsBytes, readSettingsSource, tooManyBytes } from "./settings-source.ts";

/** Where settings are read from. Settings that a program or a command line gives as text have no file. */
export type LayerSource = Pick<Layer, "kind" | "file" | "plugin" | "frontmatter">;

/** A settings file as a layer; undefined when it does not exist. */
export async function readLayerFile(
  source: LayerSource & { readonly file: string },
  rows: Rows,
): Promise<Layer | undefined> {
  const found = await readSettingsSource(source.file);
  if (found.is === "missing") return undefined;
  return found.is === "read" ? readLayer(source, found.bytes, rows) : unreadableLayer(source, found.why);
}

/** The bytes of one settings file as a layer. Contract: never throws; what cannot be used is a warning. */
export function readLayer(source: LayerSource, bytes: Uint8Array, rows: Rows = catalog): Layer {
  const contentHash = sha256(bytes);
  if (bytes.length > maxSettingsBytes) return unreadableLayer(source, tooManyBytes(bytes.length), contentHash);
  const text = decodeUtf8(bytes);
  if (text === undefined) return unreadableLayer(source, "it is not UTF-8", contentHash);
  const parsed = parseJsonc(text);
  if ("tree" in parsed) return layerOf(source, plainValue(parsed.tree), contentHash, rows);
  const { line, column } = parsed.fault;
  return unreadableLayer(source, faultText(parsed.fault), contentHash, `${line}:${column}`);
}

/** A value that was read from a file, in any syntax, as a layer. */
export function layerOf(source: LayerSource, value: unknown, contentHash: string, rows: Rows = catalog): Layer {
  if (!isObject(value)) return unreadableLayer(source, `it must hold an object, not ${showValue(value)}`, contentHash);
  const name = nameOf(source);
  const checked = checkHooks(ownValue(value, "hooks"), { file: name, ...clientOf(source) }, rows);
  const { hooks, warnings, unusable, damaged } = checked;
  // A plugin and a file with frontmatter have only hooks.
  const keys = source.plugin || source.frontmatter ? { settings: {}, warnings: [] } : checkKeys(value, name);
  return {
    ...source,
    settings: Object.keys(hooks).length === 0 ? keys.settings : { ...keys.settings, hooks },
    readable: true,
    warnings: [
      ...warnings,
      ...misplaced(name, value, rows),
      ...keys.warnings,
      ...unsupported(source, value, keys.settings),
    ],
    contentHash,
    ...(unusable.length === 0 ? {} : { unusable }),
    ...(damaged.length === 0 ? {} : { damaged }),
  };
}

/** Hooks next to `hooks` instead of below it. Other unknown keys may be anything; these were meant to run. */
function misplaced(name: string, value: Readonly<Record<string, unknown>>, rows: Rows): readonly Warning[] {
  const events = Object.keys(value).filter((key) => Object.hasOwn(rows, key));
  const misspelled = misspelledKeys(value, ["hooks", ...Object.keys(rows)]).filter(
    ({ key, meant }) => meant === "hooks" || Array.isArray(value[key]),
  );
  return [...events.map((key) => ({ key, meant: key })), ...misspelled].map(({ key, meant }) => {
    const form = meant === "hooks" ? `{ "hooks": {...} }` : `{ "hooks": { "${meant}": [...] } }`;
    const text = `is not read: hooks are found under "hooks" only. Write ${form}.`;
    return warningAt("hook-invalid", name, key, text);
  });
}

/** Only these kinds are settings files that Claude Code reads, and was measured with. */
function clientOf({ kind }: LayerSource): Pick<HooksSource, "client"> {
  if (kind === "managed") return { client: "managed" };
  return kind === "user" || kind === "project" || kind === "local" ? { client: "own" } : {};
}

/** Settings of the client that Hookline does not support. Without a warning they would seem to protect. */
function unsupported(
  source: LayerSource,
  value: Readonly<Record<string, unknown>>,
  { permissions }: Settings,
): readonly Warning[] {
  const warnings: Warning[] = [];
  const warn = (at: string, text: string): void =>
    void warnings.push(warningAt("setting-unsupported", nameOf(source), at, text));
  const modules = source.kind === "plugin" ? ownValue(value, "modules") : undefined;
  if (modules !== undefined && !(Array.isArray(modules) && modules.length === 0)) {
    const effect = "Hookline does not run function hooks of plugins. What they guard is not guarded here.";
    warn("modules", `(${showValue(modules)}) is not loaded: ${effect}`);
  }
  if (source.kind === "flag" && (permissions?.workingDirectoriesAsGiven?.length ?? 0) > 0) {
    const effect = "Hookline follows links when it decides what is inside a working directory.";
    const at = "permissions.workingDirectoriesAsGiven";
    warn(at, `is not honored: ${effect} List real paths as working directories.`);
  }
  return warnings;
}

/** A layer that exists and cannot be used. */
export function unreadableLayer(source: LayerSource, why: string, contentHash = "", place?: string): Layer {
  const name = nameOf(source);
  // For a file that the caller named the call fails, so no other files stay active.
  const rest = source.kind === "flag" ? "" : " Its hooks are disabled until it is fixed; other files are unaffected.";
  const warning: Warning = {
    code: "settings-unreadable",
    message: `${name} cannot be read: ${why}.${rest}`,
    place: place === undefined ? name : `${name}:${place}`,
  };
  return { ...source, settings: {}, readable: false, warnings: [warning], contentHash };
}

/** The name of a layer in messages. */
export function nameOf({ kind, file }: Pick<LayerSource, "kind" | "file">): string {
  return file ?? (kind === "flag" ? "the settings given as text" : kind);
}
