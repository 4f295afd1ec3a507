import {
  catalog,
  closestName,
  didYouMean,
  type EventRow,
  type FileHook,
  fileHookTypes,
  groupFields,
  type HookGroup,
  hookFields,
  isObject,
  showValue,
  type Warning,
} from "../../protocol/internal.ts";
import { type Fault, fieldsFault, keysNotCompared, misspelledKeys, ownValue, warningAt } from "./check-fields.ts";
import {
  asFailing,
  asSentence,
  type EntryPlace,
  keysElsewhere,
  keysOfGroup,
  keysOfHook,
  looksLikeOnFailure,
  type SettingsEntry,
  skipsEntry,
  statedOnFailure,
  wantsBlock,
  withValidOnFailure,
} from "./failure-policy.ts";
import { findHooks, type HooksKey } from "./find-hooks.ts";
import type { Layer, UnusableEntry } from "./layer.ts";

/** The file that is checked. */
export type HooksSource = Pick<EntryPlace, "file" | "claudeCode">;

/** The `hooks` of a file, as far as they can be used, and what had to be dropped. */
interface CheckedHooks extends Required<Pick<Layer, "warnings" | "unusable" | "damaged">> {
  readonly hooks: Readonly<Record<string, readonly HookGroup[]>>;
}

export type Rows = Readonly<Record<string, EventRow>>;

/**
 * Keeps every entry that can be used and reports every other one.
 *
 * Contract: a bad entry does not affect others; messages count entries as the file does.
 */
export function checkHooks(value: unknown, source: HooksSource, rows: Rows = catalog): CheckedHooks {
  const { file } = source;
  const warnings: Warning[] = [];
  const unusable: UnusableEntry[] = [];
  if (!isObject(value)) {
    if (value === undefined) return { hooks: {}, warnings, unusable, damaged: [] };
    const misplaced = checkMisplaced(findHooks(value, "hooks", new Set(Object.keys(rows))), source, rows);
    const why = `must be an object from event to list, not ${showValue(value)}`;
    return {
      hooks: {},
      ...misplaced,
      warnings: [invalid(file, "hooks", why), ...misplaced.warnings],
      damaged: Object.keys(rows),
    };
  }
  const hooks: Record<string, readonly HookGroup[]> = {};
  const spot = { ...source, number: "", warnings, unusable };
  for (const [event, groups] of Object.entries(value)) {
    if (!Object.hasOwn(rows, event)) continue;
    hooks[event] = checkGroups(groups, { ...spot, event, at: `hooks.${event}`, guards: canDeny(rows[event]) });
  }
  const unknown = Object.entries(value).filter(([event]) => !Object.hasOwn(rows, event));
  if (unknown.length === 0) return { hooks, warnings, unusable, damaged: eventsOf(unusable) };
  const found = findHooks(Object.fromEntries(unknown), "hooks", new Set(Object.keys(rows)));
  const misplaced = checkMisplaced(found, source, rows);
  const all = [...unusable, ...misplaced.unusable];
  return {
    hooks,
    warnings: [...warnings, ...unknown.map(([event]) => unknownEvent(event, file, rows)), ...misplaced.warnings],
    unusable: all,
    damaged: eventsOf(all),
  };
}

function eventsOf(entries: readonly UnusableEntry[]): readonly string[] {
  return [...new Set(entries.map(({ event }) => event))];
}

/**
 * Hooks in a place where none are read: below a misspelled event, next to `hooks`, in a list or in another `hooks`. Where the event can be
 * recognized, each of them is an entry of that event that cannot be used; one that denies is reported.
 */
export function checkMisplaced(
  found: readonly HooksKey[],
  source: HooksSource,
  rows: Rows = catalog,
): Pick<CheckedHooks, "warnings" | "unusable"> {
  const unusable: UnusableEntry[] = [];
  const events = new Set(Object.keys(rows));
  const collect = ({ meant: event, inside, at }: HooksKey): void => {
    if (event === "hooks") {
      for (const key of findHooks(inside, at, events)) collect(key);
      return;
    }
    const misplaced = `is under ${showValue(at)}, where no hooks are read; move it to "hooks.${event}"`;
    const guards = canDeny(rows[event]);
    checkGroups(inside, { ...source, event, at, number: at, guards, misplaced, warnings: [], unusable });
  };
  for (const key of found) collect(key);
  return { unusable, warnings: unusable.flatMap(({ denies, warning }) => (denies ? [warning] : [])) };
}

/** Whether a failed hook of the event can deny. */
function canDeny(row: EventRow | undefined): boolean {
  return row !== undefined && row.onFailure !== "open";
}

/** Why an entry of a file is not valid; undefined when it is. */
export function hookFault(entry: unknown): Fault | undefined {
  if (!isObject(entry)) return { field: "", why: `must be an object, not ${showValue(entry)}` };
  const type = ownValue(entry, "type");
  const known = fileHookTypes.find((name) => name === type);
  const fault = fieldsFault(entry, known === undefined ? { type: { is: "text" } } : { ...hookFields[known] });
  if (fault?.why === "is missing") return { ...fault, why: missing(entry, fault.field) };
  return fault ?? (known === undefined ? { field: "type", why: unknownType(String(type)) } : undefined);
}

function missing(value: SettingsEntry, name: string): string {
  const [near] = misspelledKeys(value, [name]);
  return near === undefined ? "is missing" : `is missing; ${showValue(near.key)} looks like it`;
}

/** Where a list, a group or a hook is, and where its faults are reported. */
interface Spot extends EntryPlace {
  /** Whether a failed hook of the event can deny. */
  readonly guards: boolean;
  /** Its number in the list of the event, as in `0` or `0.1`. */
  readonly number: string;
  /** Why none of its hooks can be used. */
  readonly misplaced?: string;
  readonly warnings: Warning[];
  readonly unusable: UnusableEntry[];
}

function checkGroups(value: unknown, spot: Spot): readonly HookGroup[] {
  const below = spot.number === "" ? "" : `${spot.number}.`;
  if (Array.isArray(value))
    return value.map((group, index) =>
      checkGroup(group, { ...spot, at: `${spot.at}[${index}]`, number: `${below}${index}` }),
    );
  refuse(value, spot, { field: "", why: `must be a list of groups, not ${showValue(value)}` });
  return [];
}

/** Keys that look like one that a group, or a hook of this type, may have, or belong to the other. The failure policy is reported on its own. */
function keysWithoutEffect(value: SettingsEntry, known: readonly string[], spot: Spot): readonly Warning[] {
  const found = misspelledKeys(value, known).filter(({ key }) => !looksLikeOnFailure(key, value[key]));
  const misspelled = found.map(({ key, meant }) => {
    const text = `is not a known key, so it has no effect. Did you mean "${meant}"?`;
    return warningAt("settings-invalid", spot.file, `${spot.at}.${key}`, text);
  });
  return [...misspelled, ...keysElsewhere(value, known, spot), ...keysNotCompared(value, known, spot.file, spot.at)];
}

/** An empty group replaces one that is dropped, so that the others keep their numbers. */
function checkGroup(value: unknown, spot: Spot): HookGroup {
  const group = isObject(value) ? withValidOnFailure(value, spot, false) : { value: {}, warnings: [] };
  const fault = groupFault(value, group.value);
  if (fault !== undefined) {
    refuse(value, spot, fault);
    return { hooks: [] };
  }
  spot.warnings.push(...group.warnings, ...keysWithoutEffect(group.value, keysOfGroup, spot));
  const written = group.value["hooks"] as readonly unknown[];
  if (written.length === 0 && statedOnFailure(group.value) === "block") {
    const text = "is empty, so nothing guards what the group matches. Add a hook, or remove the group.";
    spot.warnings.push(warningAt("hook-empty", spot.file, `${spot.at}.hooks`, text));
  }
  const hooks = written.flatMap((given, index): FileHook[] => {
    const hookSpot = { ...spot, at: `${spot.at}.hooks[${index}]`, number: `${spot.number}.${index}` };
    const entry = isObject(given) ? withValidOnFailure(given, hookSpot, true) : { value: given, warnings: [] };
    const wrong = spot.misplaced === undefined ? hookFault(entry.value) : { field: "", why: spot.misplaced };
    if (wrong !== undefined) {
      refuse(given, hookSpot, wrong, group.value);
      return [];
    }
    const hook = entry.value as FileHook;
    spot.warnings.push(...entry.warnings, ...keysWithoutEffect({ ...hook }, keysOfHook(hook.type), hookSpot));
    return [hook];
  });
  return { ...group.value, hooks };
}

/** Why a group is not valid. `withPolicy` is the group with a valid failure policy. */
function groupFault(value: unknown, withPolicy: SettingsEntry): Fault | undefined {
  if (!isObject(value)) return { field: "", why: `must be an object, not ${showValue(value)}` };
  const hooks = ownValue(value, "hooks");
  if (hooks === undefined && value["type"] !== undefined)
    return { field: "", why: 'is a hook where a group is expected; wrap it as { "hooks": [ … ] }' };
  const { hooks: _, ...own } = groupFields;
  const fault = fieldsFault(withPolicy, own);
  if (fault !== undefined || Array.isArray(hooks)) return fault;
  return {
    field: "hooks",
    why: hooks === undefined ? missing(value, "hooks") : `must be a list, not ${showValue(hooks)}`,
  };
}

/** Reports an entry that cannot be used. */
function refuse(value: unknown, spot: Spot, { field, why }: Fault, group: SettingsEntry = {}): void {
  const { event, number, file, at, guards } = spot;
  const given = isObject(value) ? value : {};
  const onFailure = wantsBlock(value, spot) ? "block" : (statedOnFailure(given) ?? statedOnFailure(group));
  const denies = guards && onFailure === "block";
  const skipped = invalid(file, field === "" ? at : `${at}.${field}`, why);
  const warning = denies ? asFailing(skipped) : skipped;
  const matcher = group["matcher"] ?? given["matcher"];
  const reason = `${field || "it"} ${why}`;
  const entry = { event, number, at, entry: given, matcher, why: reason, onFailure, denies, warning };
  spot.warnings.push(warning);
  spot.unusable.push(spot.misplaced === undefined ? entry : { ...entry, misplaced: true });
}

function invalid(file: string, at: string, why: string): Warning {
  return warningAt("hook-invalid", file, at, `${asSentence(why)} ${skipsEntry}`);
}

function unknownEvent(event: string, file: string, rows: Rows): Warning {
  const hint = didYouMean(event, Object.keys(rows), "Its hooks are ignored.");
  return {
    code: "unknown-event",
    message: `${showValue(event)} in ${file} is not an event.${hint}`,
    place: `${file}: hooks.${event}`,
  };
}

function unknownType(type: string): string {
  if (type === "callback" || type === "function")
    return `cannot be ${showValue(type)} in a file; a program registers those`;
  const near = closestName(type, fileHookTypes);
  return `is unknown: ${showValue(type)}${near ? `. Did you mean ${showValue(near)}?` : `; known are ${fileHookTypes.join(", ")}`}`;
}
