import { basename } from "node:path";
import { sha256 } from "../../files/internal.ts";
import { catalog, type Warning } from "../../protocol/internal.ts";
import type { Rows } from "./check-hooks.ts";
import { configureGroup, type GroupPlace } from "./configure-hooks.ts";
import type { ConfiguredHook, Layer, UnusableHook } from "./layer.ts";
import { type MergedSettings, mergeLayers } from "./merge-layers.ts";
import { failedGuard, unusableHook } from "./unusable-hook.ts";

/** All settings in force. It never changes; a reload makes another one. */
export interface Snapshot {
  /** Equal for equal settings. */
  readonly fingerprint: string;
  /** The hooks of each event that has any, in configured order. */
  readonly byEvent: ReadonlyMap<string, readonly ConfiguredHook[]>;
  /** Entries of each event that cannot be used and are not guards. They are listed and skipped. */
  readonly unusable: ReadonlyMap<string, readonly UnusableHook[]>;
  readonly merged: MergedSettings;
  readonly layers: readonly Layer[];
  /** Warnings from loading, without duplicates. */
  readonly warnings: readonly Warning[];
}

interface SnapshotOptions extends Pick<GroupPlace, "aliases" | "compileCondition"> {
  /** The catalog's rows and a host's own. */
  readonly rows?: Rows;
  /** The agent that the session was started as: Stop in its file is the end of a turn as well. */
  readonly startedAs?: string;
}

/** Layers in configured order → a frozen snapshot. Pure. */
export function takeSnapshot(layers: readonly Layer[], options: SnapshotOptions = {}): Snapshot {
  const { aliases, compileCondition, startedAs } = options;
  const rows: Rows = options.rows ?? catalog;
  const { merged, warnings } = mergeLayers(layers, rows);
  const labels = labelsOf(layers);
  const byEvent = new Map<string, ConfiguredHook[]>();
  const hooksOf = (event: string): ConfiguredHook[] => {
    const hooks = byEvent.get(event) ?? [];
    byEvent.set(event, hooks);
    return hooks;
  };
  const unusable = new Map<string, UnusableHook[]>();
  for (const [index, layer] of layers.entries()) {
    for (const entry of layer.unusable ?? []) {
      const row = rowFor(entry.event, layer, rows);
      if (row === undefined) continue;
      const hook = unusableHook(entry, layer, labels[index] ?? layer.kind, row);
      if (entry.denies) {
        const hooks = hooksOf(row.name);
        hooks.push(...failedGuard(entry, hook, { layer, row, order: hooks.length, aliases, compileCondition }));
      } else unusable.set(row.name, [...(unusable.get(row.name) ?? []), hook]);
    }
    const onFailure = layer.kind === "managed" ? merged.managedOnFailure : undefined;
    for (const [event, groups] of Object.entries(layer.settings.hooks ?? {})) {
      const row = rowFor(event, layer, rows);
      if (row === undefined) continue;
      const hooks = hooksOf(row.name);
      const main = startsAs(layer, startedAs) ? rows[event] : undefined;
      for (const [number, group] of groups.entries()) {
        const place = { layer, label: labels[index], row, group: number, order: hooks.length, onFailure };
        const configured = configureGroup(group, { ...place, aliases, compileCondition });
        hooks.push(...configured);
        if (main === undefined || main === row) continue;
        // The same hook, known and approved under the same id, for the end of a turn too.
        const ends = hooksOf(main.name);
        ends.push(...configured.map((hook, at) => ({ ...hook, row: main, order: ends.length + at })));
      }
    }
  }
  for (const [event, hooks] of byEvent) if (hooks.length === 0) byEvent.delete(event);
  const problems = [...byEvent.values()].flat().flatMap((hook) => hook.problems);
  const snapshot: Snapshot = {
    fingerprint: fingerprintOf(layers),
    byEvent,
    unusable,
    merged,
    layers,
    warnings: distinct([...layers.flatMap((layer) => layer.warnings), ...warnings, ...problems]),
  };
  // Not what was compiled: matchers and conditions are closures over their own state.
  deepFreeze([layers, merged, snapshot.warnings]);
  for (const hooks of byEvent.values()) Object.freeze(hooks).forEach(Object.freeze);
  return Object.freeze(snapshot);
}

/** The row of an event in a file: inside an agent, the end of a turn is the end of the agent. */
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
  const parts = layers.map((one) => [one.kind, one.file, one.plugin, one.frontmatter, one.settings, one.readable]);
  return sha256(JSON.stringify(parts)).slice(0, 16);
}

function distinct(warnings: readonly Warning[]): readonly Warning[] {
  return [...new Map(warnings.map((warning) => [JSON.stringify(warning), warning])).values()];
}

/** Freezes a value and everything in it, except bytes, which cannot be frozen. Contract: handles any depth and cycles. */
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
