import { sha256 } from "../../files/internal.ts";
import { catalog, isObject, type LayerKind, type Settings, showValue, type Warning } from "../../protocol/internal.ts";
import { misspelledKeys, ownValue } from "./check-fields.ts";
import { checkHooks, type HooksSource, type Rows } from "./check-hooks.ts";
import { checkKeys } from "./check-keys.ts";
import { parseJsonc, plainValue } from "./json/jsonc.ts";
import type { FrontmatterOrigin, Layer, PluginRoot } from "./layer.ts";
import { maxSettingsBytes } from "./settings-source.ts";

/** Where settings are read from. */
export interface LayerSource {
  readonly kind: LayerKind;
  /** Absent for settings that a program or a command line gives as text. */
  readonly file?: string;
  readonly plugin?: PluginRoot;
  readonly frontmatter?: FrontmatterOrigin;
}

/** The bytes of one settings file as a layer. Contract: never throws; what cannot be used is a warning. */
export function readLayer(source: LayerSource, bytes: Uint8Array, rows: Rows = catalog): Layer {
  const contentHash = sha256(bytes);
  if (bytes.length > maxSettingsBytes) {
    return unreadableLayer(source, `it has ${bytes.length} bytes; at most ${maxSettingsBytes} are read`, contentHash);
  }
  const text = decoded(bytes);
  if (text === undefined) return unreadableLayer(source, "it is not UTF-8", contentHash);
  const parsed = parseJsonc(text);
  if ("fault" in parsed) {
    const { line, column, why } = parsed.fault;
    return unreadableLayer(source, `line ${line}, column ${column}: ${why}`, contentHash, `${line}:${column}`);
  }
  return layerOf(source, plainValue(parsed.tree), contentHash, rows);
}

/** A value that was read from a file, in whatever syntax, as a layer. */
export function layerOf(source: LayerSource, value: unknown, contentHash: string, rows: Rows = catalog): Layer {
  if (!isObject(value)) return unreadableLayer(source, `it must hold an object, not ${showValue(value)}`, contentHash);
  const name = nameOf(source);
  const { hooks, warnings, damaged } = checkHooks(ownValue(value, "hooks"), { file: name, ...clientOf(source) }, rows);
  // A plugin and a file of frontmatter bring hooks; settings are not theirs to make.
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
    ...(damaged.length === 0 ? {} : { damaged }),
  };
}

/** Hooks beside `hooks` in place of below it: other unknown keys may be anything, these were meant to run. */
function misplaced(name: string, value: Readonly<Record<string, unknown>>, rows: Rows): readonly Warning[] {
  const below = Object.keys(value).filter((key) => Object.hasOwn(rows, key));
  const misspelled = misspelledKeys(value, ["hooks", ...Object.keys(rows)]).filter(
    ({ key, meant }) => meant === "hooks" || Array.isArray(value[key]),
  );
  return [...below.map((key) => ({ key, meant: key })), ...misspelled].map(({ key, meant }) => {
    const form = meant === "hooks" ? `{ "hooks": {...} }` : `{ "hooks": { "${meant}": [...] } }`;
    const message = `${key} in ${name} is not read: hooks are found under "hooks" only. Write ${form}.`;
    return { code: "hook-invalid", message, place: `${name}: ${key}` };
  });
}

/** Only these kinds of files are settings that Claude Code reads, and measured. */
function clientOf({ kind }: LayerSource): Pick<HooksSource, "client"> {
  if (kind === "managed") return { client: "managed" };
  return kind === "user" || kind === "project" || kind === "local" ? { client: "own" } : {};
}

/** What the client does with a file and Hookline does not. Left unsaid it would look armed. */
function unsupported(
  source: LayerSource,
  value: Readonly<Record<string, unknown>>,
  { permissions }: Settings,
): readonly Warning[] {
  const name = nameOf(source);
  const warning = (at: string, what: string): Warning => ({
    code: "setting-unsupported",
    message: `${at} in ${name} ${what}`,
    place: `${name}: ${at}`,
  });
  const found: Warning[] = [];
  const modules = source.kind === "plugin" ? ownValue(value, "modules") : undefined;
  if (modules !== undefined && !(Array.isArray(modules) && modules.length === 0)) {
    const what = `(${showValue(modules)}) is not loaded: Hookline does not run function hooks of plugins. What they guard is not guarded here.`;
    found.push(warning("modules", what));
  }
  if (source.kind === "flag" && (permissions?.workingDirectoriesAsGiven?.length ?? 0) > 0) {
    const what =
      "is not honored: Hookline follows links when it decides what is inside a working directory. List real paths as working directories.";
    found.push(warning("permissions.workingDirectoriesAsGiven", what));
  }
  return found;
}

/** A layer that is there and cannot be used. */
export function unreadableLayer(source: LayerSource, why: string, contentHash = "", place?: string): Layer {
  const name = nameOf(source);
  // A file that the caller named ends the call; there are no other files that stay active.
  const rest = source.kind === "flag" ? "" : " Its hooks are disabled until it is fixed; other files are unaffected.";
  const warning: Warning = {
    code: "settings-unreadable",
    message: `${name} cannot be read: ${why}.${rest}`,
    place: place === undefined ? name : `${name}:${place}`,
  };
  return { ...source, settings: {}, readable: false, warnings: [warning], contentHash };
}

/** How messages call a layer. */
export function nameOf({ kind, file }: Pick<LayerSource, "kind" | "file">): string {
  return file ?? (kind === "flag" ? "the settings given as text" : kind);
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // The decoder throws for nothing else.
    return undefined;
  }
}
