import type { LayerKind, Settings, Warning } from "../../protocol/index.ts";
import type { Layer } from "../layer.ts";
import { nameOf } from "./read.ts";

/** Layers whose hooks do not run, and the policy that says so. */
export interface PluginsOnly {
  readonly layer: Layer;
  readonly locked: readonly LayerKind[];
}

/** What each surface that `strictPluginOnlyCustomization` can lock takes away; MCP servers bring no hooks. */
const surfaces: Readonly<Record<string, readonly LayerKind[]>> = {
  hooks: ["user", "project", "local", "flag", "skill", "agent"],
  skills: ["skill"],
  agents: ["agent"],
  mcp: [],
};

/** What managed settings lock, all of them together. */
export function pluginsOnly(layers: readonly Layer[]): PluginsOnly | undefined {
  const saying = layers.filter(({ kind, settings }) => kind === "managed" && locksOf(settings).length > 0);
  const [layer] = saying;
  return layer && { layer, locked: [...new Set(saying.flatMap(({ settings }) => locksOf(settings)))] };
}

/** The surfaces that managed settings leave to plugins, by name. */
export function lockedSurfaces(layers: readonly Layer[]): readonly string[] {
  return layers.filter(({ kind }) => kind === "managed").flatMap(({ settings }) => namesOf(settings));
}

/** The layers whose hooks a policy takes away. */
export function locksOf(settings: Settings): readonly LayerKind[] {
  return namesOf(settings).flatMap((name) => (Object.hasOwn(surfaces, name) ? (surfaces[name] ?? []) : []));
}

function namesOf({ strictPluginOnlyCustomization: value }: Settings): readonly string[] {
  return value === true ? Object.keys(surfaces) : value === false || value === undefined ? [] : value;
}

/** A name with a typo must not look like a lock. */
export function unknownSurfaces(layer: Layer): readonly Warning[] {
  const { strictPluginOnlyCustomization: names } = layer.settings;
  if (typeof names !== "object") return [];
  const [file, at] = [nameOf(layer), "strictPluginOnlyCustomization"];
  const known = Object.keys(surfaces);
  return names
    .filter((name) => !known.includes(name))
    .map((name) => ({
      code: "settings-invalid",
      message: `${at} in ${file} lists ${JSON.stringify(name)}, which is not one of ${known.join(", ")}. That entry locks nothing.`,
      place: `${file}: ${at}`,
    }));
}
