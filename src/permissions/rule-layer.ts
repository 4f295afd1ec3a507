import type { LayerKind, Settings } from "../protocol/index.ts";

/** Where rules come from. The order is that in which a rule is named when several decide alike. */
export const scopes = ["managed", "flags", "settings", "local", "project", "user", "session"] as const;
export type Scope = (typeof scopes)[number];

/** The permission part of one settings source, as read; whatever its lists hold is checked here. */
export interface RuleLayer {
  readonly scope: Scope;
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

function scopeOf(kind: LayerKind): Scope | undefined {
  if (kind === "flag") return "settings";
  return scopes.find((scope) => scope === kind);
}
