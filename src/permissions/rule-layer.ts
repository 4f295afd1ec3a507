import { closestName, type LayerKind, type Settings } from "../protocol/internal.ts";
import type { RuleList } from "./rules/rule-meaning.ts";

/** Where rules come from. The order is that in which a rule is named when several decide alike. */
export const ruleScopes = ["managed", "flags", "settings", "local", "project", "user", "session"] as const;
/** The kind of source a rule comes from. */
export type RuleScope = (typeof ruleScopes)[number];

/** The permission part of one settings source, as read; whatever its lists hold is checked here. */
export interface RuleLayer {
  readonly scope: RuleScope;
  /** The file, for messages and for `/x` patterns of a `--settings` file. */
  readonly file?: string;
  readonly allow?: readonly unknown[];
  readonly ask?: readonly unknown[];
  readonly deny?: readonly unknown[];
  readonly additionalDirectories?: readonly unknown[];
  readonly defaultMode?: unknown;
  readonly disableBypassPermissionsMode?: unknown;
  readonly disableAutoMode?: unknown;
  readonly blockReadsOutsideWorkingDirectories?: unknown;
  readonly blockWritesOutsideWorkingDirectories?: unknown;
  /** Counts in `--settings` only. */
  readonly blockReadsExemptPaths?: readonly unknown[];
  /** Counts anywhere but in the project's own files. */
  readonly denyInsteadOfPrompting?: unknown;
  /** Counts in the managed scope only. */
  readonly allowManagedPermissionRulesOnly?: unknown;
  /** Whether what the layer grants counts. Project and local layers need it said; what restricts never does. */
  readonly trusted?: boolean;
  /** The file exists but could not be read; the lists, if any, are those of its last good content. */
  readonly unreadable?: boolean;
}

/** Whether what the layer grants may count at all. */
export function mayGrant(layer: RuleLayer): boolean {
  return layer.trusted ?? (layer.scope !== "project" && layer.scope !== "local");
}

/** A layer of settings as a layer of rules; undefined for kinds that bring none. */
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
    ...(layer.file === undefined ? {} : { file: layer.file }),
  };
}

function scopeOf(kind: LayerKind): RuleScope | undefined {
  if (kind === "flag") return "settings";
  return ruleScopes.find((scope) => scope === kind);
}

const lists: readonly RuleList[] = ["allow", "ask", "deny"];

const known: { readonly [Key in keyof RuleLayer | "workingDirectoriesAsGiven"]-?: true } = {
  scope: true,
  file: true,
  allow: true,
  ask: true,
  deny: true,
  additionalDirectories: true,
  defaultMode: true,
  disableBypassPermissionsMode: true,
  disableAutoMode: true,
  blockReadsOutsideWorkingDirectories: true,
  blockWritesOutsideWorkingDirectories: true,
  blockReadsExemptPaths: true,
  denyInsteadOfPrompting: true,
  allowManagedPermissionRulesOnly: true,
  trusted: true,
  unreadable: true,
  // What reads settings files reports it.
  workingDirectoriesAsGiven: true,
};

/** Unknown keys and values that are not lists: they restrict nothing, or not as written. */
export function layerFaults(layer: RuleLayer): readonly RuleWarning[] {
  const warning = (key: string, what: string): RuleWarning => {
    const place = `${layer.file ?? layer.scope}, permissions.${key}`;
    return { code: "rule-invalid", message: `${place} ${what}`, place };
  };
  const misspelled = Object.keys(layer).filter((key) => !Object.hasOwn(known, key));
  const mistyped = lists.filter((list) => layer[list] !== undefined && !Array.isArray(layer[list]));
  return [
    ...misspelled.map((key) => {
      const near = closestName(key, Object.keys(known));
      const hint = near === undefined ? "" : `; did you mean "${near}"?`;
      return warning(key, `is not a key of permissions, so what it holds does not count${hint}`);
    }),
    ...mistyped.map((list) => {
      const counts = writtenRules(layer, list).length > 0 ? "it counts as a list of one rule" : "it does not count";
      return warning(list, `must be a list of rules; ${counts}`);
    }),
  ];
}

/** The rules of a list. A single rule in place of a list still restricts; it grants nothing. */
export function writtenRules(layer: RuleLayer, list: RuleList): readonly unknown[] {
  const written: unknown = layer[list];
  if (Array.isArray(written)) return written;
  return typeof written === "string" && list !== "allow" ? [written] : [];
}

/** A problem with a rule, a mode or an update that stops nothing; `place` names file, list and index. */
export interface RuleWarning {
  readonly code: RuleWarningCode;
  readonly message: string;
  readonly place?: string;
}

/** Every warning this module gives, with what it tells. */
export const ruleWarningCodes = {
  "rule-invalid":
    "a permission rule or a key of permissions is invalid and has no effect; until it is fixed, a tool under deny or ask needs a confirmation",
  "rule-elsewhere":
    "a deny or ask rule on a path such as /etc is relative to the directory of its source; // is the root",
  "rule-too-wide": "an allow rule is too broad and has no effect",
  "mode-unknown": "unknown permission mode; default is used",
  "mode-ignored": "a permission mode that may not be set in this place",
  "permission-update-invalid": "an entry of updatedPermissions was dropped",
} as const;

/** The code of a warning about rules; docs/warnings.md explains each. */
export type RuleWarningCode = keyof typeof ruleWarningCodes;

/** How a call is settled when no rule decided. */
export type Mode = (typeof modes)[number] | "auto";

export const modes = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"] as const;

/** The mode with this name; undefined when it is unknown. */
export function readMode(word: unknown): Mode | undefined {
  if (word === "manual") return "default";
  return word === "auto" ? word : modes.find((mode) => mode === word);
}
