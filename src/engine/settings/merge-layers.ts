import {
  defined,
  type FailurePolicy,
  type LayerKind,
  type PermissionSettings,
  type Settings,
  type StatusLineSetting,
  type Warning,
} from "../../protocol/internal.ts";
import { firstFound, warningAt } from "./check-fields.ts";
import type { Rows } from "./check-hooks.ts";
import {
  checkoutEnv,
  guardsToolCalls,
  type Layer,
  nameOf,
  type PluginsOnly,
  pluginsOnly,
  unknownSurfaces,
} from "./layer.ts";

/** The settings of all layers together, except hooks. Where it matters, the layer that set a value is named. */
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
  /** Hooks of these layers do not run, because only managed settings and plugins may have any. */
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
  /** Why managed policy is incomplete. Until it is fixed, guarded tool calls are asked about. */
  readonly managedDamage?: string;
}

/** The list of one layer. A list of the checkout only restricts, and only its own hooks until it is trusted. */
export interface PolicyList {
  readonly values: readonly string[];
  readonly layer: Layer;
}

/** Merges the layers. Pure. A key in a layer that may not set it has no effect except a warning. */
export function mergeLayers(layers: readonly Layer[]) {
  const allowed = layers.map(withoutForeignKeys);
  const settled = allowed.map(({ layer }) => layer);
  const conflicts = valuesOf(settled, "onConflict");
  const merged: MergedSettings = {
    env: joinedEnv(settled),
    disabled: defined({
      everything: withTrue(settled, ["managed"], "disableAllHooks"),
      unmanaged: withTrue(settled, ["user", "flag"], "disableAllHooks"),
      checkout: withTrue(settled, ["project", "local"], "disableAllHooks"),
    }),
    ...defined({
      managedOnly: withTrue(settled, ["managed"], "allowManagedHooksOnly"),
      pluginsOnly: pluginsOnly(settled),
    }),
    http: {
      urls: policyLists(settled, "allowedHttpHookUrls"),
      variables: policyLists(settled, "httpHookAllowedEnvVars"),
      allowPrivate: allowPrivate(settled),
    },
    onConflict: (["deny", "ask"] as const).find((value) => conflicts.includes(value)) ?? "last",
    managedOnFailure: valuesOf(settled, "managedHooksOnFailure").includes("block") ? "block" : "continue",
  };
  const warnings = [
    ...allowed.flatMap(({ warnings }) => warnings),
    ...settled.flatMap(unknownSurfaces),
    ...checkoutEnv(settled).warnings,
  ];
  return { merged, warnings };
}

/** The layers that may set a key that restricts or grants. Every layer may set other keys. */
const setters = {
  allowManagedHooksOnly: ["managed"],
  allowManagedPermissionRulesOnly: ["managed"],
  strictPluginOnlyCustomization: ["managed"],
  pluginConfigs: ["managed", "user", "flag"],
  httpHookAllowPrivate: ["managed", "user", "flag"],
  managedHooksOnFailure: ["managed"],
  onConflict: ["managed", "user", "flag"],
} as const satisfies { readonly [Key in keyof Settings]?: readonly Exclude<LayerKind, "project" | "local">[] };

/** Keys that a checkout may not set. */
export type NeverOfCheckout = keyof typeof setters;

/** The same for keys below `permissions`. The judge of permissions ignores them by itself. */
const permissionSetters = {
  denyInsteadOfPrompting: ["managed", "user", "flag"],
  blockReadsExemptPaths: ["flag"],
  workingDirectoriesAsGiven: ["flag"],
  allowManagedPermissionRulesOnly: ["managed"],
} as const satisfies { readonly [Key in keyof PermissionSettings]?: readonly LayerKind[] };

function withoutForeignKeys(layer: Layer): { layer: Layer; warnings: readonly Warning[] } {
  const { kind, settings } = layer;
  const foreign = foreignKeys(settings, setters, kind);
  const foreignBelow = foreignKeys(settings.permissions ?? {}, permissionSetters, kind);
  const kept = Object.fromEntries(Object.entries(settings).filter(([key]) => !foreign.includes(key)));
  const warnings = [...foreign, ...foreignBelow.map((key) => `permissions.${key}`)].map((key) =>
    warningAt("policy-key-ignored", nameOf(layer), key, `is ignored: ${kind} settings may not set it.`),
  );
  return { layer: foreign.length === 0 ? layer : { ...layer, settings: kept }, warnings };
}

function foreignKeys(
  settings: object,
  allowed: Readonly<Record<string, readonly LayerKind[]>>,
  kind: LayerKind,
): readonly string[] {
  return Object.keys(allowed).filter((key) => Object.hasOwn(settings, key) && !allowed[key]?.includes(kind));
}

/** Weak to strong: the command line overrides files, and policy overrides both. */
function joinedEnv(layers: readonly Layer[]): Readonly<Record<string, string>> {
  const inOrder = (["user", "flag", "managed"] as const).flatMap((kind) => layers.filter((one) => one.kind === kind));
  return Object.assign(Object.create(null), ...inOrder.map(({ settings }) => settings.env));
}

/** The first layer with `true`. The `false` of one layer never overrides the `true` of another. */
function withTrue(
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
  const listsOf = (...kinds: readonly LayerKind[]): readonly PolicyList[] =>
    layers.flatMap((layer) => {
      const values = kinds.includes(layer.kind) ? layer.settings[key] : undefined;
      return values === undefined ? [] : [{ values, layer }];
    });
  const managed = joinedLists(listsOf("managed"));
  return managed.length > 0 ? managed : [...joinedLists(listsOf("user", "flag")), ...listsOf("project", "local")];
}

/** Lists of equal rank are one: each adds to the other. */
function joinedLists(lists: readonly PolicyList[]): readonly PolicyList[] {
  const [first] = lists;
  return first === undefined ? [] : [{ values: lists.flatMap(({ values }) => values), layer: first.layer }];
}

function allowPrivate(layers: readonly Layer[]): boolean | readonly string[] {
  const managed = valuesOf(
    layers.filter(({ kind }) => kind === "managed"),
    "httpHookAllowPrivate",
  );
  const values = managed.length > 0 ? managed : valuesOf(layers, "httpHookAllowPrivate");
  if (values.includes(true)) return true;
  const patterns = values.flatMap((value) => (typeof value === "boolean" ? [] : value));
  return patterns.length > 0 ? patterns : false;
}

export interface StatusLineSource {
  readonly setting: StatusLineSetting;
  readonly layer: Layer;
}

const statusLineOrder: readonly LayerKind[] = ["managed", "flag", "local", "project", "user"];

/** The status line of the strongest layer that has one. */
export function statusLineOf(layers: readonly Layer[]): StatusLineSource | undefined {
  return firstFound(statusLineOrder, (kind) => {
    // Of several files given on the command line the last one counts.
    const layer = layers.findLast((one) => one.kind === kind && one.settings.statusLine !== undefined);
    return layer?.settings.statusLine && { setting: layer.settings.statusLine, layer };
  });
}

/** Why managed policy is incomplete. `useless` are the layers with a hook that guards tool calls and never does its work. */
export function managedDamage(layers: readonly Layer[], useless: ReadonlySet<Layer>, rows: Rows): Warning | undefined {
  const isGuard = (event: string) => rows[event] !== undefined && guardsToolCalls(rows[event]);
  const isBroken = (layer: Layer) => !layer.readable || layer.damaged?.some(isGuard) || useless.has(layer);
  const broken = layers.find((layer) => layer.kind === "managed" && isBroken(layer));
  if (broken === undefined) return undefined;
  const place = nameOf(broken);
  const what = broken.readable ? `a hook of ${place} that guards tool calls cannot be used` : `${place} cannot be read`;
  const message = `Managed policy is incomplete: ${what}. Tool calls are asked about until it is fixed.`;
  return { code: "managed-unreadable", message, place };
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
