import {
  catalog,
  didYouMean,
  type EventRow,
  type FileHook,
  type HookGroup,
  isObject,
  showValue,
  type Warning,
} from "../../protocol/internal.ts";
import { type Fault, groupFault, hookFault, misspelledKeys, ownValue, warningAt } from "./check-fields.ts";
import {
  asFailing,
  asSentence,
  type EntryPlace,
  effectElsewhere,
  keysOfGroup,
  keysOfHook,
  looksLikeOnFailure,
  type SettingsEntry,
  skipsEntry,
  statedOnFailure,
  wantsBlock,
  withValidOnFailure,
} from "./failure-policy.ts";
import { findHooks, type HooksKey, isNote } from "./find-hooks.ts";
import type { Layer, UnusableEntry } from "./layer.ts";

/** The file that is checked. */
export type HooksSource = Pick<EntryPlace, "file" | "claudeCode">;

/** The `hooks` of a file, as far as they can be used, and what had to be dropped. */
interface CheckedHooks extends Required<Pick<Layer, "warnings" | "unusable" | "damaged">> {
  readonly hooks: Readonly<Record<string, readonly HookGroup[]>>;
  readonly others: readonly OtherKey[];
}

/** A key that has no meaning where it is. */
export interface OtherKey {
  readonly key: string;
  /** Its path. */
  readonly at: string;
  readonly inside: unknown;
  /** It has a warning of its own. */
  readonly isReported: boolean;
}

export type Rows = Readonly<Record<string, EventRow>>;

/**
 * Keeps every entry that can be used and reports every other one.
 *
 * Contract: a bad entry does not affect others; messages count entries as the file does.
 */
export function checkHooks(value: unknown, source: HooksSource, rows: Rows = catalog): CheckedHooks {
  const { file } = source;
  const events = new Set(Object.keys(rows));
  if (!isObject(value)) {
    if (value === undefined) return { hooks: {}, warnings: [], unusable: [], others: [], damaged: [] };
    const misplaced = checkMisplaced(findHooks(value, "hooks", events), source, rows);
    const why = invalid(file, "hooks", `must be an object from event to list, not ${showValue(value)}`);
    return { hooks: {}, ...misplaced, others: [], warnings: [why, ...misplaced.warnings], damaged: [...events] };
  }
  const warnings: Warning[] = [];
  const unusable: UnusableEntry[] = [];
  const others: OtherKey[] = [];
  const hooks: Record<string, readonly HookGroup[]> = {};
  const spot = { ...source, rows, number: "", matcher: undefined, warnings, unusable, others };
  for (const [event, groups] of Object.entries(value)) {
    if (!Object.hasOwn(rows, event)) continue;
    hooks[event] = checkGroups(groups, { ...spot, event, at: `hooks.${event}`, guards: canDeny(rows[event]) });
  }
  const unknown = Object.entries(value).filter(([event]) => !Object.hasOwn(rows, event) && !isNote(event));
  if (unknown.length === 0) return { hooks, warnings, unusable, others, damaged: eventsOf(unusable) };
  const misplaced = checkMisplaced(findHooks(Object.fromEntries(unknown), "hooks", events), source, rows);
  const all = [...unusable, ...misplaced.unusable];
  return {
    hooks,
    warnings: [...warnings, ...unknown.map(([event]) => unknownEvent(event, file, rows)), ...misplaced.warnings],
    unusable: all,
    others: [...others, ...unknown.map(([key, inside]) => ({ key, inside, at: `hooks.${key}`, isReported: true }))],
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
  for (const { meant: event, inside, at } of eventsIn(found, rows)) {
    const place = { ...source, rows, event, ...misplacedAt(at, event), matcher: undefined };
    checkGroups(inside, { ...place, guards: canDeny(rows[event]), warnings: [], others: [], unusable });
  }
  return { unusable, warnings: unusable.flatMap(({ denies, warning }) => (denies ? [warning] : [])) };
}

/** The keys that mean an event, and those below a key that means `hooks`. */
function eventsIn(found: readonly HooksKey[], rows: Rows): readonly HooksKey[] {
  return found.flatMap((key) =>
    key.meant === "hooks" ? eventsIn(findHooks(key.inside, key.at, new Set(Object.keys(rows))), rows) : [key],
  );
}

function misplacedAt(at: string, event: string): Pick<Spot, "at" | "number" | "misplaced"> {
  const misplaced = `is under ${showValue(at)}, where no hooks are read; move it to "hooks.${event}"`;
  return { at, number: at, misplaced };
}

/** Whether a failed hook of the event can deny. */
function canDeny(row: EventRow | undefined): boolean {
  return row !== undefined && row.onFailure !== "open";
}

/** Where a list, a group or a hook is, and where its faults are reported. */
interface Spot extends EntryPlace {
  /** Whether a failed hook of the event can deny. */
  readonly guards: boolean;
  /** Its number in the list of the event, as in `0` or `0.1`. */
  readonly number: string;
  /** Why none of its hooks can be used. */
  readonly misplaced?: string;
  /** The matcher of the group that contains it. */
  readonly matcher: unknown;
  readonly rows: Rows;
  readonly warnings: Warning[];
  readonly unusable: UnusableEntry[];
  readonly others: OtherKey[];
}

function checkGroups(value: unknown, spot: Spot): readonly HookGroup[] {
  const below = spot.number === "" ? "" : `${spot.number}.`;
  if (Array.isArray(value))
    return value.map((group, index) =>
      checkGroup(group, { ...spot, at: `${spot.at}[${index}]`, number: `${below}${index}` }),
    );
  refuse(value, spot, { field: "", why: spot.misplaced ?? `must be a list of groups, not ${showValue(value)}` });
  return [];
}

/** The keys that a group, or a hook of this type, does not have. The failure policy is reported on its own. */
function checkOthers(value: SettingsEntry, known: readonly string[], spot: Spot): void {
  const others = Object.entries(value).filter(([key]) => !known.includes(key));
  if (others.length === 0) return;
  const misspelled = new Map(misspelledKeys(value, known).map(({ key, meant }) => [key, meant]));
  for (const [key, inside] of others) {
    if (looksLikeOnFailure(key, inside)) continue;
    const at = `${spot.at}.${key}`;
    const meant = misspelled.get(key);
    const near = meant && `is not a known key, so it has no effect. Did you mean "${meant}"?`;
    const why = effectElsewhere(key, known) ?? near;
    if (why !== undefined) spot.warnings.push(warningAt("settings-invalid", spot.file, at, why));
    const guards = isNote(key) || !wantsBlock(inside, spot) ? [] : guardsUnder(key, inside, spot);
    addGuards(guards, spot);
    spot.others.push({ key, at, inside, isReported: why !== undefined || guards.length > 0 });
  }
}

/** Guards under a key that a group or a hook does not have: of the events that are named there, or else of the event of the group. */
function guardsUnder(key: string, inside: unknown, spot: Spot): readonly UnusableEntry[] {
  const named = eventsIn([{ meant: "hooks", inside: { [key]: inside }, at: spot.at, top: key }], spot.rows);
  if (named.length > 0) return checkMisplaced(named, spot, spot.rows).unusable.filter(({ denies }) => denies);
  const unusable: UnusableEntry[] = [];
  checkGroups(inside, { ...spot, ...misplacedAt(`${spot.at}.${key}`, spot.event), warnings: [], others: [], unusable });
  return unusable.filter(({ denies }) => denies);
}

/** Guards under an event, but not under `except`, inside an entry. */
function guardsInside(value: SettingsEntry, { at, rows, ...source }: Spot, except?: string): readonly UnusableEntry[] {
  const { unusable } = checkMisplaced(findHooks(value, at, new Set(Object.keys(rows))), source, rows);
  return unusable.filter(({ denies, event }) => denies && event !== except);
}

function addGuards(guards: readonly UnusableEntry[], { unusable, warnings }: Spot): void {
  for (const guard of guards) {
    unusable.push(guard);
    warnings.push(guard.warning);
  }
}

/** An empty group replaces one that is dropped, so that the others keep their numbers. */
function checkGroup(value: unknown, place: Spot): HookGroup {
  const group = isObject(value) ? withValidOnFailure(value, place, false) : { value: {}, warnings: [] };
  const spot = { ...place, matcher: ownValue(group.value, "matcher") ?? place.matcher };
  const fault = groupFault(value, group.value);
  if (fault !== undefined) {
    refuse(value, spot, spot.misplaced === undefined ? fault : { field: "", why: spot.misplaced });
    return { hooks: [] };
  }
  spot.warnings.push(...group.warnings);
  checkOthers(group.value, keysOfGroup, spot);
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
    spot.warnings.push(...entry.warnings);
    checkOthers({ ...hook }, keysOfHook(hook.type), hookSpot);
    return [hook];
  });
  return { ...group.value, hooks };
}

/** Reports an entry that cannot be used. */
function refuse(value: unknown, spot: Spot, { field, why }: Fault, group: SettingsEntry = {}): void {
  const { event, number, file, at, guards, matcher: outer } = spot;
  const given = isObject(value) ? value : {};
  const isGuard = wantsBlock(value, spot);
  const onFailure = isGuard ? "block" : (statedOnFailure(given) ?? statedOnFailure(group));
  const denies = guards && onFailure === "block";
  const skipped = invalid(file, field === "" ? at : `${at}.${field}`, why);
  const warning = denies ? asFailing(skipped) : skipped;
  const matcher = outer ?? given["matcher"];
  const reason = `${field || "it"} ${why}`;
  const entry = { event, number, at, entry: given, matcher, why: reason, onFailure, denies, warning };
  spot.warnings.push(warning);
  spot.unusable.push(spot.misplaced === undefined ? entry : { ...entry, misplaced: true });
  if (isGuard) addGuards(guardsInside(given, spot, event), spot);
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
