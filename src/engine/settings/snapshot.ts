import { basename } from "node:path";
import { sha256 } from "../../files/internal.ts";
import { catalog, type Warning } from "../../protocol/internal.ts";
import type { CompileCondition } from "../match/conditions.ts";
import type { ToolAliases } from "../match/matcher.ts";
import type { ResolvedOptions } from "../options.ts";
import { checkoutAt, pinFilesOf } from "../trust/pin-store.ts";
import { isOfCheckout, nothingToApprove, type Trust, type TrustedKey, trustEverything } from "../trust/trust-state.ts";
import type { Rows } from "./check-hooks.ts";
import { configureGroup, type GroupPlace } from "./configure-hooks.ts";
import { type ConfiguredHook, checkoutEnv, type Layer } from "./layer.ts";
import { type MergedSettings, mergeLayers, type StatusLineSource, statusLineOf } from "./merge-layers.ts";

/** All settings in force, worked out once. Nothing in it changes; a reload makes another one. */
export interface Snapshot {
  /** Equal settings, equal fingerprint. */
  readonly fingerprint: string;
  /** Of each event that has any: its hooks in configured order. */
  readonly byEvent: ReadonlyMap<string, readonly ConfiguredHook[]>;
  readonly merged: MergedSettings;
  readonly layers: readonly Layer[];
  /** What loading had to say, each thing once. */
  readonly warnings: readonly Warning[];
}

export interface SnapshotOptions {
  /** The catalog's rows and a host's own. */
  readonly rows?: Rows;
  readonly aliases?: ToolAliases;
  /** Needed where a hook has a condition. */
  readonly compileCondition?: CompileCondition;
  /** The agent that the session was started as: Stop in its file is the end of a turn as well. */
  readonly startedAs?: string;
}

/** Layers in configured order → a frozen snapshot. Pure. */
export function takeSnapshot(layers: readonly Layer[], options: SnapshotOptions = {}): Snapshot {
  const rows: Rows = options.rows ?? catalog;
  const { merged, warnings } = mergeLayers(layers, rows);
  const labels = labelsOf(layers);
  const byEvent = new Map<string, ConfiguredHook[]>();
  layers.forEach((layer, index) => {
    for (const [event, groups] of Object.entries(layer.settings.hooks ?? {})) {
      const row = rowFor(event, layer, rows);
      if (row === undefined) continue;
      const hooks = byEvent.get(row.name) ?? [];
      byEvent.set(row.name, hooks);
      groups.forEach((group, number) => {
        const place: GroupPlace = {
          layer,
          label: labels[index] ?? layer.kind,
          row,
          group: number,
          order: hooks.length,
          ...(options.aliases === undefined ? {} : { aliases: options.aliases }),
          ...(options.compileCondition === undefined ? {} : { compileCondition: options.compileCondition }),
          ...(layer.kind === "managed" ? { onFailure: merged.managedOnFailure } : {}),
        };
        const configured = configureGroup(group, place);
        hooks.push(...configured);
        const main = startsAs(layer, options.startedAs) ? rows[event] : undefined;
        if (main === undefined || main === row) return;
        // The same hook, known and approved under the same id, for the end of a turn too.
        const ends = byEvent.get(main.name) ?? [];
        byEvent.set(main.name, ends);
        ends.push(...configured.map((hook, at) => ({ ...hook, row: main, order: ends.length + at })));
      });
    }
  });
  for (const [event, hooks] of byEvent) if (hooks.length === 0) byEvent.delete(event);
  const problems = [...byEvent.values()].flat().flatMap((hook) => hook.problems);
  const snapshot: Snapshot = {
    fingerprint: fingerprintOf(layers),
    byEvent,
    merged,
    layers,
    warnings: distinct([...layers.flatMap((layer) => layer.warnings), ...warnings, ...problems]),
  };
  // Not what was compiled: matchers and conditions are closures over their own state.
  deepFreeze([layers, merged, snapshot.warnings]);
  for (const hooks of byEvent.values()) Object.freeze(hooks).forEach(Object.freeze);
  return Object.freeze(snapshot);
}

/** The row a file's event means: inside an agent, the end of a turn is the end of the agent. */
function rowFor(event: string, { kind }: Layer, rows: Rows) {
  const row = Object.hasOwn(rows, event) ? rows[event] : undefined;
  const inside = kind === "agent" ? row?.special.insideAgent : undefined;
  return inside === undefined ? row : rows[inside];
}

function startsAs({ frontmatter }: Layer, agent: string | undefined): boolean {
  return frontmatter?.of === "agent" && frontmatter.name === agent;
}

/** A layer's part of its hooks' ids: the same on every machine, and different for each layer. */
function labelsOf(layers: readonly Layer[]): readonly string[] {
  const seen = new Map<string, number>();
  return layers.map((layer) => {
    const label = labelOf(layer);
    const count = (seen.get(label) ?? 0) + 1;
    seen.set(label, count);
    return count === 1 ? label : `${label}#${count}`;
  });
}

function labelOf({ kind, file, plugin, frontmatter }: Layer): string {
  if (frontmatter !== undefined) return `${kind}/${frontmatter.from}/${frontmatter.name}`;
  if (plugin !== undefined) return `${kind}/${basename(plugin.root)}`;
  if (kind === "managed" && file !== undefined && basename(file) !== "managed-settings.json")
    return `${kind}/${basename(file)}`;
  return kind;
}

function fingerprintOf(layers: readonly Layer[]): string {
  const said = layers.map(({ kind, file, plugin, frontmatter, settings, readable }) => [
    kind,
    file,
    plugin,
    frontmatter,
    settings,
    readable,
  ]);
  return sha256(JSON.stringify(said)).slice(0, 16);
}

function distinct(warnings: readonly Warning[]): readonly Warning[] {
  return [...new Map(warnings.map((warning) => [JSON.stringify(warning), warning])).values()];
}

/** Freezes a value and everything in it. Contract: handles any depth and cycles; bytes, which cannot be frozen, stay as they are. */
function deepFreeze(root: unknown): void {
  const seen = new Set<unknown>();
  const waiting = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== "object" || value === null || seen.has(value) || ArrayBuffer.isView(value)) continue;
    seen.add(value);
    Object.freeze(value);
    for (const { value: inner } of Object.values(Object.getOwnPropertyDescriptors(value))) waiting.push(inner);
  }
}

/** A snapshot with what of it counts. What only trust makes count is worked out here, once. */
export interface EffectiveSettings extends Snapshot {
  readonly trust: Trust;
  /** Variables for the checkout's own hooks and for tools, of files whose `env` is trusted. */
  readonly checkoutEnv: Readonly<Record<string, string>>;
  /** A file of the checkout whose `disableAllHooks` reaches hooks of other layers. */
  readonly disabling?: Layer;
  /** The status line of the first layer that may have one. */
  readonly statusLine?: StatusLineSource | undefined;
  /** Whether a list of the checkout narrows what hooks of other layers may do. */
  narrows(layer: Layer, key: TrustedKey): boolean;
}

export async function applyTrust(snapshot: Snapshot, options: ResolvedOptions): Promise<EffectiveSettings> {
  const trust = await trustFor(snapshot, options);
  const { layers } = snapshot;
  const trusting = (key: TrustedKey): readonly Layer[] =>
    layers.filter((layer) => trust.ofKey(layer, key).state === "trusted");
  const disabling = trusting("disableAllHooks").find(
    ({ kind, settings }) => (kind === "project" || kind === "local") && settings.disableAllHooks === true,
  );
  return Object.freeze({
    ...snapshot,
    warnings: trust.warnings.length === 0 ? snapshot.warnings : [...snapshot.warnings, ...trust.warnings],
    trust,
    checkoutEnv: checkoutEnv(trusting("env")).env,
    ...(disabling === undefined ? {} : { disabling }),
    statusLine: statusLineOf(trusting("statusLine")),
    narrows: (layer: Layer, key: TrustedKey) => trust.ofKey(layer, key).state === "trusted",
  });
}

/** The trust in force for a snapshot. What compares files with approvals is loaded for a folder that has something to approve. */
async function trustFor(snapshot: Snapshot, options: ResolvedOptions): Promise<Trust> {
  if (options.trust === "implicit") return trustEverything;
  if (options.trust === "pinned" && !snapshot.layers.some(isOfCheckout)) {
    const { real } = await checkoutAt(options);
    return nothingToApprove(pinFilesOf([real], options));
  }
  const { pinnedTrust, workspaceTrust } = await import("../trust/trust-by-pins.ts");
  return options.trust === "workspace" ? workspaceTrust(options) : pinnedTrust(snapshot, options);
}
