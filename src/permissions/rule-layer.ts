import {
  closestName,
  defined,
  isMisspelling,
  type LayerKind,
  type ruleWarningCodes,
  type Settings,
  settingsFields,
} from "../protocol/internal.ts";
import type { RuleList } from "./rules/rule-meaning.ts";

/** The sources of rules, in order of precedence: when rules of several sources decide alike, the first one is reported. */
export const ruleScopes = ["managed", "flags", "settings", "local", "project", "user", "session"] as const;
/** The kind of source a rule comes from. */
export type RuleScope = (typeof ruleScopes)[number];

/** The permission part of one settings source, unchecked. `compileRules` checks its values. */
export interface RuleLayer {
  /** Where the rules come from. */
  readonly scope: RuleScope;
  /** The settings file. Used in messages, and as the start of `/x` patterns of a `--settings` file. */
  readonly file?: string;
  /** Rules that allow. */
  readonly allow?: readonly unknown[];
  /** Rules that ask. */
  readonly ask?: readonly unknown[];
  /** Rules that deny. */
  readonly deny?: readonly unknown[];
  /** Further working directories. */
  readonly additionalDirectories?: readonly unknown[];
  /** The permission mode to start in. */
  readonly defaultMode?: unknown;
  /** `"disable"` forbids the mode. */
  readonly disableBypassPermissionsMode?: unknown;
  /** `"disable"` forbids the mode. */
  readonly disableAutoMode?: unknown;
  /** True denies such reads. */
  readonly blockReadsOutsideWorkingDirectories?: unknown;
  /** True denies such writes. */
  readonly blockWritesOutsideWorkingDirectories?: unknown;
  /** Effective in `--settings` only. */
  readonly blockReadsExemptPaths?: readonly unknown[];
  /** Effective anywhere except in project and local settings. */
  readonly denyInsteadOfPrompting?: unknown;
  /** Effective in the managed scope only. */
  readonly allowManagedPermissionRulesOnly?: unknown;
  /** Whether the layer may allow anything. Default: false for project and local layers, else true. Its restrictions always apply. */
  readonly trusted?: boolean;
  /** The file exists but could not be read. The lists, if any, are from its last valid content. */
  readonly unreadable?: boolean;
}

/** Whether allow rules, directories and modes of the layer take effect. */
export function mayGrant(layer: RuleLayer): boolean {
  return layer.trusted ?? (layer.scope !== "project" && layer.scope !== "local");
}

/** Whether grants count in managed settings only. */
export function onlyManagedGrants(layers: readonly RuleLayer[]): boolean {
  return layers.some((layer) => layer.scope === "managed" && layer.allowManagedPermissionRulesOnly === true);
}

/** The rule layer of a settings layer. Undefined for kinds of layers that cannot hold rules. */
export function ruleLayerOf(
  layer: { readonly kind: LayerKind; readonly file?: string; readonly readable: boolean; readonly settings: Settings },
  trusted: boolean,
): RuleLayer | undefined {
  const scope = scopeOf(layer.kind);
  if (scope === undefined) return undefined;
  const { permissions, allowManagedPermissionRulesOnly: only } = layer.settings;
  return {
    ...permissions,
    ...(only === true ? { allowManagedPermissionRulesOnly: true } : {}),
    scope,
    trusted,
    unreadable: !layer.readable,
    ...defined({ file: layer.file }),
  };
}

function scopeOf(kind: LayerKind): RuleScope | undefined {
  if (kind === "flag") return "settings";
  return ruleScopes.find((scope) => scope === kind);
}

const lists: readonly RuleList[] = ["allow", "ask", "deny"];

const { permissions } = settingsFields;

const layerKeys: readonly string[] = [
  ...Object.keys((permissions.is === "object" && permissions.fields) || {}),
  ...(["scope", "file", "trusted", "unreadable"] satisfies (keyof RuleLayer)[]),
];

/** Warnings about unknown keys and about rule lists that are not lists. */
export function layerFaults(layer: RuleLayer): readonly RuleWarning[] {
  const warning = (key: string, what: string): RuleWarning => {
    const place = `${layer.file ?? layer.scope}, ${key.includes(".") ? key : `permissions.${key}`}`;
    return { code: "rule-invalid", message: `${place} ${what}`, place };
  };
  const misspelled = Object.keys(layer).filter((key) => !layerKeys.includes(key));
  const mistyped = lists.filter((list) => layer[list] !== undefined && !Array.isArray(layer[list]));
  return [
    ...misspelled.map((key) => {
      const near = closestName(lastPart(key), layerKeys);
      const hint = near === undefined ? "" : `; did you mean "${near}"?`;
      const effect = meansRestrictions(key) ? "so the calls that it names are asked about" : "so it has no effect";
      return warning(key, `is not a key of permissions, ${effect}${hint}`);
    }),
    ...mistyped.map((list) => {
      const effect = writtenRules(layer, list).length > 0 ? "it is read as a list of one rule" : "it has no effect";
      return warning(list, `must be a list of rules; ${effect}`);
    }),
  ];
}

/** The rules of a list. A value in place of a list is one rule under deny and ask, and no rule under allow. */
export function writtenRules(layer: RuleLayer, list: RuleList): readonly unknown[] {
  const written: unknown = layer[list];
  if (Array.isArray(written)) return written;
  return list === "allow" ? [] : rulesIn(written);
}

/** What is written under keys such as `Deny`, which are meant as `deny` or `ask`. */
export function misspelledRules(layer: RuleLayer): readonly { readonly key: string; readonly written: unknown }[] {
  const keys = Object.entries(layer).filter(([key]) => !layerKeys.includes(key) && meansRestrictions(key));
  return keys.flatMap(([key, value]) => rulesIn(value).map((written) => ({ key, written })));
}

function rulesIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}

/** A key that begins with one of these characters is a comment. */
function meansRestrictions(key: string): boolean {
  const name = lastPart(key);
  return !/^[_/#$]/.test(name) && restrictingNames.some((known) => isMisspelling(name, known));
}

const restrictingNames = ["deny", "ask", "denied", "denies", "disallow", "disallowed"];

/** `Permissions.deny` is the path of rules under a misspelled `permissions`. */
function lastPart(key: string): string {
  return key.slice(key.lastIndexOf(".") + 1);
}

/** A non-fatal problem with a rule, a mode or an update. `place` names file, list and index. */
export interface RuleWarning {
  readonly code: RuleWarningCode;
  readonly message: string;
  readonly place?: string;
}

/** The code of a warning about rules; docs/warnings.md explains each. */
export type RuleWarningCode = keyof typeof ruleWarningCodes;

/** How calls are decided that no rule covers. */
export type Mode = (typeof modes)[number] | "auto";

export const modes = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"] as const;

/** The mode with this name; undefined when it is unknown. */
export function readMode(value: unknown): Mode | undefined {
  if (value === "manual") return "default";
  return value === "auto" ? value : modes.find((mode) => mode === value);
}
