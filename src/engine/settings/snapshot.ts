import { basename } from "node:path";
import { sha256 } from "../../files/internal.ts";
import {
  type CallbackHook,
  catalog,
  defined,
  type EventRow,
  type Skip,
  showValue,
  type Warning,
} from "../../protocol/internal.ts";
import type { Rows } from "./check-hooks.ts";
import { configureGroup, type GroupPlace, hookRef, isUseless } from "./configure-hooks.ts";
import { asFailing, effectOfFailing } from "./failure-policy.ts";
import { shortened, withoutPassword } from "./hook-names.ts";
import {
  type ConfiguredHook,
  guardsToolCalls,
  type Layer,
  nameOf,
  type UnusableEntry,
  type UnusableHook,
} from "./layer.ts";
import { type MergedSettings, managedDamage, mergeLayers } from "./merge-layers.ts";

/** All settings in effect. It never changes; a reload makes another one. */
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

interface SnapshotOptions extends Pick<GroupPlace, "aliases" | "compileCondition" | "wakes"> {
  /** The catalog's rows and a host's own. */
  readonly rows?: Rows;
  /** The agent that the session was started as: Stop in its file is the end of a turn as well. */
  readonly startedAs?: string;
}

/** Layers in configured order → a frozen snapshot. Pure. */
export function takeSnapshot(layers: readonly Layer[], options: SnapshotOptions = {}): Snapshot {
  const { aliases, wakes, compileCondition, startedAs } = options;
  const rows: Rows = options.rows ?? catalog;
  const { merged, warnings } = mergeLayers(layers);
  const labels = labelsOf(layers);
  const byEvent = new Map<string, ConfiguredHook[]>();
  const hooksOf = (event: string): ConfiguredHook[] => {
    const hooks = byEvent.get(event) ?? [];
    byEvent.set(event, hooks);
    return hooks;
  };
  const unusable = new Map<string, UnusableHook[]>();
  /** Warnings about guards that fail: the guards have them too, in the words for a guard. */
  const failing = new Set<Warning>();
  for (const [index, layer] of layers.entries()) {
    const label = labels[index] ?? layer.kind;
    const onFailure = layer.kind === "managed" ? merged.managedOnFailure : undefined;
    const add = (event: string, configure: (place: Omit<GroupPlace, "group">) => readonly ConfiguredHook[]): void => {
      const row = rowFor(event, layer, rows);
      if (row === undefined) return;
      const hooks = hooksOf(row.name);
      const writtenFor = row.name === event ? undefined : event;
      const place = { layer, label, row, order: hooks.length, onFailure, writtenFor, aliases, wakes, compileCondition };
      const configured = configure(place);
      hooks.push(...configured);
      const main = startsAs(layer, startedAs) ? rows[event] : undefined;
      if (main === undefined || main === row) return;
      // The same hook, known and approved under the same id, for the end of a turn too.
      const ends = hooksOf(main.name);
      ends.push(
        ...configured.map(({ writtenFor: _, ...hook }, at) => ({ ...hook, row: main, order: ends.length + at })),
      );
    };
    for (const entry of layer.unusable ?? []) {
      const row = rowFor(entry.event, layer, rows);
      if (row === undefined) continue;
      const hook = unusableHook(entry, layer, label, row);
      const denies = entry.denies || (row.onFailure !== "open" && (entry.onFailure ?? onFailure) === "block");
      if (denies) {
        add(entry.event, (place) => failedGuard(entry, hook, place));
        failing.add(entry.warning);
      } else if (!entry.misplaced) unusable.set(row.name, [...(unusable.get(row.name) ?? []), hook]);
    }
    for (const [event, groups] of Object.entries(layer.settings.hooks ?? {}))
      for (const [group, given] of groups.entries()) add(event, (place) => configureGroup(given, { ...place, group }));
  }
  for (const [event, hooks] of byEvent) if (hooks.length === 0) byEvent.delete(event);
  const configured = [...byEvent.values()].flat();
  const problems = configured.flatMap((hook) => hook.problems);
  const useless = configured.filter((hook) => guardsToolCalls(hook.row) && isUseless(hook));
  const damage = managedDamage(layers, new Set(useless.map(({ layer }) => layer)), rows);
  const snapshot: Snapshot = {
    fingerprint: fingerprintOf(layers),
    byEvent,
    unusable,
    merged: { ...merged, ...defined({ managedDamage: damage?.message }) },
    layers,
    warnings: distinct([
      ...layers.flatMap(({ warnings: read }) => read.filter((one) => !failing.has(one))),
      ...warnings,
      ...(damage === undefined ? [] : [damage]),
      ...problems,
    ]),
  };
  // Not what was compiled: matchers and conditions are closures over their own state.
  deepFreeze([layers, snapshot.merged, snapshot.warnings]);
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

/** An entry that cannot be used, as it is listed and skipped. */
function unusableHook(unusable: UnusableEntry, layer: Layer, label: string, row: EventRow): UnusableHook {
  const { number, at, entry, matcher, why, warning } = unusable;
  const { type = "unknown" } = entry;
  const ref = hookRef(layer, [label, row.name, number].filter((part) => part !== "").join(":"), row, matcher, entry, {
    type: typeof type === "string" ? type : showValue(type),
    name: unusableName(entry) ?? at,
  });
  const skip: Skip = { hook: ref, why: "unsupported", detail: `cannot be used: ${why}` };
  return { ref, layer, problems: [warning], skip };
}

/** The guard that an entry was meant to be. It runs for the calls that the entry matches, and fails. */
function failedGuard(
  { at, entry, matcher, why, warning }: UnusableEntry,
  { ref }: UnusableHook,
  place: Omit<GroupPlace, "group">,
): readonly ConfiguredHook[] {
  // The hint of the warning would be the second sentence of the reason.
  const reason = why.replace(/\. Did you mean .*$/s, "");
  const fails = `${at} in ${nameOf(place.layer)} cannot be used: ${reason}`;
  const hook: CallbackHook = {
    type: "callback",
    callback: () => undefined,
    errorMessage: fails,
    onFailure: "block",
    ...(typeof entry["if"] === "string" ? { if: entry["if"] } : {}),
  };
  const group = { hooks: [hook], ...(typeof matcher === "string" ? { matcher } : {}) };
  const [guard] = configureGroup(group, { ...place, group: 0 });
  const others = guard?.problems.filter(({ code }) => code !== "hook-invalid") ?? [];
  const problems = [asFailing(warning, effectOfFailing(place.layer)), ...others];
  return guard === undefined ? [] : [{ ...guard, ref, fails, problems }];
}

/** How users recognize an entry that may lack anything. */
function unusableName({ command, url, prompt, tool }: UnusableEntry["entry"]): string | undefined {
  const address = typeof url === "string" ? withoutPassword(url) : undefined;
  const text = [command, address, prompt, tool].find((value) => typeof value === "string" && value !== "");
  return text === undefined ? undefined : shortened(String(text));
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
  const parts = layers.map((one) => [
    one.kind,
    one.file,
    one.plugin,
    one.frontmatter,
    one.settings,
    one.readable,
    one.unusable,
  ]);
  return sha256(JSON.stringify(parts)).slice(0, 16);
}

function distinct(warnings: readonly Warning[]): readonly Warning[] {
  return [...new Map(warnings.map((warning) => [JSON.stringify(warning), warning])).values()];
}

/** Freezes a value and everything in it. Settings are nested as deep as files may be, and contain no circles. */
function deepFreeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.values(Object.freeze(value)).forEach(deepFreeze);
}
