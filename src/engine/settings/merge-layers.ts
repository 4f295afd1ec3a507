import {
  catalog,
  type FailurePolicy,
  type LayerKind,
  type Settings,
  type StatusLineSetting,
  type Warning,
} from "../../protocol/internal.ts";
import type { Rows } from "./check-hooks.ts";
import { checkoutEnv, guardsToolCalls, type Layer, type PluginsOnly, pluginsOnly, unknownSurfaces } from "./layer.ts";
import { nameOf } from "./read-layer.ts";

/** What all layers say together, apart from hooks. Where it matters who said it, the layer is named. */
export interface MergedSettings {
  /** Variables for every hook. */
  readonly env: Readonly<Record<string, string>>;
  readonly disabled: {
    /** Managed policy: every hook. */
    readonly everything?: Layer;
    /** The user: every hook that is not managed. */
    readonly unmanaged?: Layer;
    /** The checkout: its own hooks; those of other layers only when the key is pinned. */
    readonly checkout?: Layer;
  };
  /** Only managed hooks run. */
  readonly managedOnly?: Layer;
  /** Hooks of these layers do not run, because only managed settings and plugins may bring any. */
  readonly pluginsOnly?: PluginsOnly;
  readonly http: {
    /** A URL must match a pattern of every list; without lists every URL does. */
    readonly urls: readonly PolicyList[];
    /** A variable must be on every list. */
    readonly variables: readonly PolicyList[];
    /** Whether hooks of the checkout and of plugins may reach private addresses, or at which URLs. */
    readonly allowPrivate: boolean | readonly string[];
  };
  readonly onConflict: "last" | "ask" | "deny";
  readonly managedOnFailure: FailurePolicy;
  /** Why managed policy is not whole; until it is, guarded tool calls are asked about. */
  readonly managedDamage?: string;
}

/** What one layer allows; a list of the checkout only narrows, and only for its own hooks until it is trusted. */
export interface PolicyList {
  readonly values: readonly string[];
  readonly layer: Layer;
}

/** Layers → one. Pure; a key in a layer that may not set it is a warning and nothing else. */
export function mergeLayers(
  layers: readonly Layer[],
  rows: Rows = catalog,
): { merged: MergedSettings; warnings: readonly Warning[] } {
  const allowed = layers.map(withoutForeignKeys);
  const settled = allowed.map(({ layer }) => layer);
  const damage = managedDamage(layers, rows);
  const merged: MergedSettings = {
    env: joinedEnv(settled),
    disabled: {
      ...named("everything", sayingTrue(settled, ["managed"], "disableAllHooks")),
      ...named("unmanaged", sayingTrue(settled, ["user", "flag"], "disableAllHooks")),
      ...named("checkout", sayingTrue(settled, ["project", "local"], "disableAllHooks")),
    },
    ...named("managedOnly", sayingTrue(settled, ["managed"], "allowManagedHooksOnly")),
    ...named("pluginsOnly", pluginsOnly(settled)),
    http: {
      urls: policyLists(settled, "allowedHttpHookUrls"),
      variables: policyLists(settled, "httpHookAllowedEnvVars"),
      allowPrivate: allowPrivate(settled),
    },
    onConflict: strictest(valuesOf(settled, "onConflict")),
    managedOnFailure: valuesOf(settled, "managedHooksOnFailure").includes("block") ? "block" : "continue",
    ...named("managedDamage", damage?.message),
  };
  const warnings = [
    ...allowed.flatMap(({ warnings }) => warnings),
    ...settled.flatMap(unknownSurfaces),
    ...checkoutEnv(settled).warnings,
    ...(damage ? [damage] : []),
  ];
  return { merged, warnings };
}

/** Who may set a key that restricts or grants. Keys not named here are nobody's secret. */
const setters: { readonly [Key in keyof Settings]?: readonly LayerKind[] } = {
  allowManagedHooksOnly: ["managed"],
  allowManagedPermissionRulesOnly: ["managed"],
  strictPluginOnlyCustomization: ["managed"],
  managedHooksOnFailure: ["managed"],
  httpHookAllowPrivate: ["managed", "user", "flag"],
  onConflict: ["managed", "user", "flag"],
  pluginConfigs: ["managed", "user", "flag"],
};

function withoutForeignKeys(layer: Layer): { layer: Layer; warnings: readonly Warning[] } {
  const { permissions, ...keys } = layer.settings;
  const foreign = Object.keys(keys).filter((key) => isForeign(key, layer.kind));
  const kept = Object.fromEntries(Object.entries(keys).filter(([key]) => !foreign.includes(key)));
  foreign.push(...foreignPermissionKeys(layer));
  const { allowManagedPermissionRulesOnly: managedOnly, ...rules } = permissions ?? {};
  if (managedOnly !== undefined && layer.kind !== "managed")
    foreign.push("permissions.allowManagedPermissionRulesOnly");
  if (foreign.length === 0) return { layer, warnings: [] };
  const own = layer.kind === "managed" ? permissions : rules;
  return {
    layer: { ...layer, settings: permissions === undefined ? kept : { ...kept, permissions: own ?? {} } },
    warnings: foreign.map((key) => ignoredKey(key, layer)),
  };
}

/** Keys below `permissions` that count in some layers only; the judge of permissions leaves them out by itself. */
function foreignPermissionKeys({ kind, settings: { permissions = {} } }: Layer): readonly string[] {
  const elsewhere = {
    denyInsteadOfPrompting: kind === "project" || kind === "local",
    blockReadsExemptPaths: kind !== "flag",
    workingDirectoriesAsGiven: kind !== "flag",
  };
  return Object.entries(elsewhere).flatMap(([key, out]) =>
    out && Object.hasOwn(permissions, key) ? [`permissions.${key}`] : [],
  );
}

function isForeign(key: string, kind: LayerKind): boolean {
  const allowed = Object.entries(setters).find(([name]) => name === key)?.[1];
  return allowed !== undefined && !allowed.includes(kind);
}

function ignoredKey(key: string, layer: Layer): Warning {
  return {
    code: "policy-key-ignored",
    message: `${key} in ${nameOf(layer)} is ignored: ${layer.kind} settings may not set it.`,
    place: `${nameOf(layer)}: ${key}`,
  };
}

/** Weak to strong: what a person gives on the command line beats the file, policy beats both. */
function joinedEnv(layers: readonly Layer[]): Readonly<Record<string, string>> {
  const env: Record<string, string> = Object.create(null);
  for (const kind of ["user", "flag", "managed"] as const) {
    for (const { settings } of layers.filter((layer) => layer.kind === kind)) {
      for (const [name, value] of Object.entries(settings.env ?? {})) env[name] = value;
    }
  }
  return env;
}

/** The first layer with `true`; `false` never undoes another layer's `true`. */
function sayingTrue(
  layers: readonly Layer[],
  kinds: readonly LayerKind[],
  key: "disableAllHooks" | "allowManagedHooksOnly",
): Layer | undefined {
  return layers.find((layer) => kinds.includes(layer.kind) && layer.settings[key] === true);
}

function policyLists(
  layers: readonly Layer[],
  key: "allowedHttpHookUrls" | "httpHookAllowedEnvVars",
): readonly PolicyList[] {
  const lists = layers.flatMap((layer): PolicyList[] => {
    const values = layer.settings[key];
    return values === undefined ? [] : [{ values, layer }];
  });
  const of = (kinds: readonly LayerKind[]) => lists.filter(({ layer }) => kinds.includes(layer.kind));
  const managed = joinedLists(of(["managed"]));
  if (managed.length > 0) return managed;
  return [...joinedLists(of(["user", "flag"])), ...of(["project", "local"])];
}

/** Lists of equal standing are one: each adds to the other. */
function joinedLists(lists: readonly PolicyList[]): readonly PolicyList[] {
  const [first] = lists;
  return first === undefined ? [] : [{ values: lists.flatMap(({ values }) => values), layer: first.layer }];
}

function allowPrivate(layers: readonly Layer[]): boolean | readonly string[] {
  const managed = valuesOf(
    layers.filter(({ kind }) => kind === "managed"),
    "httpHookAllowPrivate",
  );
  const said = managed.length > 0 ? managed : valuesOf(layers, "httpHookAllowPrivate");
  if (said.includes(true)) return true;
  const patterns = said.flatMap((value) => (typeof value === "boolean" ? [] : value));
  return patterns.length > 0 ? patterns : false;
}

function strictest(said: readonly MergedSettings["onConflict"][]): MergedSettings["onConflict"] {
  return (["deny", "ask"] as const).find((word) => said.includes(word)) ?? "last";
}

const statusLineOrder: readonly LayerKind[] = ["managed", "flag", "local", "project", "user"];

export interface StatusLineSource {
  readonly setting: StatusLineSetting;
  readonly layer: Layer;
}

/** The status line of the strongest layer that has one. */
export function statusLineOf(layers: readonly Layer[]): StatusLineSource | undefined {
  for (const kind of statusLineOrder) {
    // Of several files given on the command line the last one counts.
    const layer = layers.findLast(
      (candidate) => candidate.kind === kind && candidate.settings.statusLine !== undefined,
    );
    if (layer?.settings.statusLine !== undefined) return { setting: layer.settings.statusLine, layer };
  }
  return undefined;
}

function managedDamage(layers: readonly Layer[], rows: Rows): Warning | undefined {
  const isGuard = (event: string) => rows[event] !== undefined && guardsToolCalls(rows[event]);
  const broken = layers.find(
    ({ kind, readable, damaged }) => kind === "managed" && (!readable || damaged?.some(isGuard)),
  );
  if (broken === undefined) return undefined;
  const name = nameOf(broken);
  const what = broken.readable ? `a hook of ${name} that guards tool calls cannot be used` : `${name} cannot be read`;
  return {
    code: "managed-unreadable",
    message: `Managed policy is not whole: ${what}. Tool calls are asked about until it is fixed.`,
    place: name,
  };
}

function valuesOf<Key extends keyof Settings>(
  layers: readonly Layer[],
  key: Key,
): readonly NonNullable<Settings[Key]>[] {
  return layers.flatMap(({ settings }) => {
    const value = settings[key];
    return value === undefined ? [] : [value];
  });
}

function named<Name extends string, Value>(name: Name, value: Value | undefined): { [Key in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: Value };
}
