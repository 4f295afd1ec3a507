import { sha256 } from "../../files/internal.ts";
import {
  catalog,
  defined,
  type Field,
  isObject,
  messageOf,
  type Settings,
  settingsFields,
  showValue,
  type Warning,
} from "../../protocol/internal.ts";
import { type Fault, faultOf, ownValue, warningAt } from "./check-fields.ts";
import { checkHooks, type HooksSource, type Rows } from "./check-hooks.ts";
import { keysOfFrontmatter, keysOfPluginHooks } from "./claude-code-keys.ts";
import { isComment } from "./find-hooks.ts";
import { faultText, parseJsonc, plainValue } from "./json/jsonc.ts";
import { type Layer, nameOf } from "./layer.ts";
import { misplacedHooks } from "./misplaced-hooks.ts";
import { checkOtherKeys } from "./misplaced-keys.ts";
import { brokenLink, decodeUtf8, maxSettingsBytes, readSettingsSource, tooManyBytes } from "./settings-source.ts";

/** Where settings are read from. Settings that a program or a command line gives as a text or an object have no file. */
export type LayerSource = Pick<Layer, "kind" | "file" | "index" | "plugin" | "frontmatter">;

/** A settings file as a layer; undefined when it does not exist. */
export async function readLayerFile(
  source: LayerSource & { readonly file: string },
  rows: Rows,
): Promise<Layer | undefined> {
  const found = await readSettingsSource(source.file);
  if (found.is === "read") return readLayer(source, found.bytes, rows);
  const why = found.is === "missing" ? await brokenLink(source.file) : found.why;
  return why === undefined ? undefined : unreadableLayer(source, why);
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
  try {
    return checkedLayer(source, value, contentHash, rows);
  } catch (error) {
    // Nothing in one file may disable the hooks of the others.
    return unreadableLayer(source, messageOf(error), contentHash);
  }
}

function checkedLayer(source: LayerSource, value: unknown, contentHash: string, rows: Rows): Layer {
  if (!isObject(value)) return unreadableLayer(source, `it must hold an object, not ${showValue(value)}`, contentHash);
  const name = nameOf(source);
  const place = { file: name, ...readByClaudeCode(source) };
  const checked = checkHooks(ownValue(value, "hooks"), place, rows);
  const elsewhere = mayHaveMisplacedHooks(value) ? misplacedHooks(value, place, rows) : noHooks;
  const { hooks, warnings, others: inHooks } = checked;
  const unusable = [...checked.unusable, ...elsewhere.unusable];
  const damaged = [...new Set([...checked.damaged, ...elsewhere.unusable.map(({ event }) => event)])];
  // A plugin and a file with frontmatter have only hooks.
  const ofHooks = source.frontmatter ? keysOfFrontmatter : source.plugin && keysOfPluginHooks;
  const isPlain = inHooks.length === 0 && hasOnlyKeys(value, ofHooks ? { hooks } : settingsFields);
  const others = isPlain ? noOthers : checkOtherKeys(value, name, { ofHooks, inHooks, reported: elsewhere.reported });
  const keys = ofHooks ? { settings: {}, warnings: [] } : checkKeys(value, others.permissions, name);
  return {
    ...source,
    settings: Object.keys(hooks).length === 0 ? keys.settings : { ...keys.settings, hooks },
    readable: true,
    warnings: [
      ...warnings,
      ...elsewhere.warnings,
      ...keys.warnings,
      ...others.warnings,
      ...unsupported(source, value, keys.settings),
    ],
    contentHash,
    ...(unusable.length === 0 ? {} : { unusable }),
    ...(damaged.length === 0 ? {} : { damaged }),
  };
}

const noHooks = { warnings: [], unusable: [], reported: new Set<string>() } as const;
const noOthers = { permissions: {}, warnings: [] } as const;

function mayHaveMisplacedHooks(value: Readonly<Record<string, unknown>>): boolean {
  const { hooks: _, ...others } = value;
  return !hasOnlyKeys(others, settingsFields) || Object.values(others).some((inside) => typeof inside === "object");
}

function hasOnlyKeys(value: object, known: object): boolean {
  return Object.keys(value).every((key) => Object.hasOwn(known, key));
}

/** Only these kinds are settings files that Claude Code reads and that were measured. */
function readByClaudeCode({ kind }: LayerSource): Pick<HooksSource, "claudeCode"> {
  if (kind === "managed") return { claudeCode: "managed" };
  return kind === "user" || kind === "project" || kind === "local" ? { claudeCode: "own" } : {};
}

/** Settings of Claude Code that Hookline does not support. Without a warning they would seem to protect. */
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

export const hooksDisabled = " Its hooks are disabled until it is fixed; other files are unaffected.";

/** A layer that exists and cannot be used. */
export function unreadableLayer(source: LayerSource, why: string, contentHash = "", place?: string): Layer {
  const name = nameOf(source);
  // For a file that the caller named the call fails, so no other files stay active.
  const rest = source.kind === "flag" ? "" : hooksDisabled;
  const warning: Warning = {
    code: "settings-unreadable",
    message: `${name.replace(/^the/, "The")} cannot be read: ${why}.${rest}`,
    place: place === undefined ? name : `${name}:${place}`,
  };
  return { ...source, settings: {}, readable: false, warnings: [warning], contentHash };
}

/**
 * The keys of a settings file other than `hooks`, each checked on its own.
 *
 * Contract: as little as possible is dropped: one bad rule leaves the other rules of its list in effect.
 */
function checkKeys(
  value: Readonly<Record<string, unknown>>,
  misplacedRules: Readonly<Record<string, unknown>>,
  file: string,
): { readonly settings: Omit<Settings, "hooks">; readonly warnings: readonly Warning[] } {
  const warnings: Warning[] = [];
  const drop: Drop = ({ field: at, why }, found) => {
    const rule = restriction(at, found);
    const strict = rule ?? strictReadings[at];
    const effect =
      strict === undefined ? "is ignored; the rest of the file stays active" : `counts as ${showValue(strict)}`;
    const unread = "counts as a rule that cannot be read: every call is asked about until it is fixed";
    const isUnread = rule !== undefined && typeof found !== "string";
    warnings.push(warningAt("settings-invalid", file, at, `${why}. It ${isUnread ? unread : effect}.`));
    return strict;
  };
  const { hooks: _, ...fields } = settingsFields;
  const own = ownValue(value, "permissions");
  const elsewhere = { ...misplacedRules, ...defined({ disableAutoMode: ownValue(value, "disableAutoMode") }) };
  const isExtended = Object.keys(elsewhere).length > 0;
  const written = isExtended ? { ...value, permissions: { ...elsewhere, ...(isObject(own) ? own : {}) } } : value;
  // Replaced by what is elsewhere, a value that is not an object would not be reported.
  if (isExtended && own !== undefined && !isObject(own)) usablePart(own, fields.permissions, "permissions", drop);
  const settings = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, usablePart(ownValue(written, name), field, name, drop)]),
  );
  return { settings: defined(settings), warnings };
}

/** A value instead of a list that restricts counts as one rule, and a rule that is not a string is kept: every call it may cover is asked about. */
function restriction(at: string, found: unknown): unknown {
  const [list, item] = /^permissions\.(?:deny|ask)(\[\d+\])?$/.exec(at) ?? [];
  if (list === undefined || found === null) return undefined;
  return item === undefined ? [found] : found;
}

/** Keys that only restrict: a value that cannot be used is read as the strictest, as Claude Code does in managed settings. */
const strictReadings: Readonly<Record<string, boolean | string | readonly string[]>> = {
  allowManagedHooksOnly: true,
  allowManagedPermissionRulesOnly: true,
  strictPluginOnlyCustomization: true,
  managedHooksOnFailure: "block",
  allowedHttpHookUrls: [],
  httpHookAllowedEnvVars: [],
  onConflict: "deny",
  "permissions.allowManagedPermissionRulesOnly": true,
  "permissions.blockReadsOutsideWorkingDirectories": true,
  "permissions.blockWritesOutsideWorkingDirectories": true,
  "permissions.denyInsteadOfPrompting": true,
  "permissions.disableAutoMode": "disable",
  "permissions.disableBypassPermissionsMode": "disable",
};

type Drop = (fault: Fault, found: unknown) => unknown;

/** The value without the members that cannot be used; undefined when nothing is left. */
function usablePart(value: unknown, field: Field, at: string, drop: Drop): unknown {
  if (value === undefined) return undefined;
  if (field.is === "list" && Array.isArray(value)) {
    return value.filter((item, index) => usablePart(item, field.of, `${at}[${index}]`, drop) !== undefined);
  }
  if (field.is === "object" && isObject(value) && !hasNeededFields(field)) {
    // What is turned into a comment below `permissions` is not a key of it. In `env` and the like any name counts.
    const entries = Object.entries(value).filter(([name]) => field.fields === undefined || !isComment(name));
    const members = entries.map(([name, member]) => {
      const { fields = {}, values = { is: "anything" } } = field;
      const own = (Object.hasOwn(fields, name) ? fields[name] : undefined) ?? values;
      return [name, usablePart(member, own, `${at}.${name}`, drop)] as const;
    });
    return defined(Object.fromEntries(members));
  }
  const fault = faultOf(value, field, at);
  return fault === undefined ? value : drop(fault, value);
}

/** An object with required members counts as a whole or not at all. */
function hasNeededFields(field: Extract<Field, { is: "object" }>): boolean {
  return Object.values(field.fields ?? {}).some(({ optional }) => !optional);
}
