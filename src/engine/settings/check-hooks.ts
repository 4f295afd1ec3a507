import {
  catalog,
  closestName,
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
import { type Fault, fieldsFault, misspelledKeys, ownValue, warningAt } from "./check-fields.ts";
import type { ClientFile } from "./client-fault.ts";
import {
  asSentence,
  type Entry,
  keysOfGroup,
  keysOfHook,
  looksLikeOnFailure,
  statedOnFailure,
  wantsBlock,
  withValidOnFailure,
} from "./failure-policy.ts";
import type { UnusableEntry } from "./layer.ts";

/** The file that is checked. */
export interface HooksSource {
  /** Its name in messages. */
  readonly file: string;
  /** How Claude Code reads it; absent for files that it does not read as settings. */
  readonly client?: ClientFile;
}

/** The `hooks` of a file, as far as they can be used. */
interface CheckedHooks {
  readonly hooks: Readonly<Record<string, readonly HookGroup[]>>;
  readonly warnings: readonly Warning[];
  /** Entries that had to be dropped. */
  readonly unusable: readonly UnusableEntry[];
  /** Events of which an entry had to be dropped. */
  readonly damaged: readonly string[];
}

export type Rows = Readonly<Record<string, EventRow>>;

/**
 * Keeps every entry that can be used and reports every other one.
 *
 * Contract: a bad entry does not affect others; messages count entries as the file does.
 */
export function checkHooks(value: unknown, source: HooksSource, rows: Rows = catalog): CheckedHooks {
  const { file } = source;
  if (value === undefined) return { hooks: {}, warnings: [], unusable: [], damaged: [] };
  if (!isObject(value)) {
    const warning = invalid(file, "hooks", `must be an object from event to list, not ${showValue(value)}`);
    return { hooks: {}, warnings: [warning], unusable: [], damaged: Object.keys(rows) };
  }
  const warnings: Warning[] = [];
  const unusable: UnusableEntry[] = [];
  const kept: [string, readonly HookGroup[]][] = [];
  for (const [event, groups] of Object.entries(value)) {
    if (!Object.hasOwn(rows, event)) {
      warnings.push(unknownEvent(event, file, rows));
      continue;
    }
    const guards = rows[event]?.onFailure !== "open";
    const checked = checkGroups(groups, { ...source, event, at: `hooks.${event}`, number: "", guards });
    kept.push([event, checked.groups]);
    warnings.push(...checked.warnings);
    unusable.push(...checked.unusable);
  }
  const damaged = [...new Set(unusable.map(({ event }) => event))];
  return { hooks: Object.fromEntries(kept), warnings, unusable, damaged };
}

/** Why an entry of a file is not valid; undefined when it is. */
export function hookFault(entry: unknown): Fault | undefined {
  if (!isObject(entry)) return { field: "", why: `must be an object, not ${showValue(entry)}` };
  const type = ownValue(entry, "type");
  if (type === undefined) return { field: "type", why: missing(entry, "type") };
  if (typeof type !== "string") return { field: "type", why: `must be a string, not ${showValue(type)}` };
  const known = fileHookTypes.find((name) => name === type);
  if (known === undefined) return { field: "type", why: unknownType(type) };
  const fault = fieldsFault(entry, { ...hookFields[known] });
  return fault?.why === "is missing" ? { ...fault, why: missing(entry, fault.field) } : fault;
}

function missing(value: Entry, name: string): string {
  const [near] = misspelledKeys(value, [name]);
  return near === undefined ? "is missing" : `is missing; ${showValue(near.key)} looks like it`;
}

/** Where a list, a group or a hook is. */
interface Spot extends HooksSource {
  readonly event: string;
  readonly at: string;
  /** Whether a failed hook of the event can deny. */
  readonly guards: boolean;
  /** Its number in the list of the event, as in `0` or `0.1`. */
  readonly number: string;
}

interface CheckedGroup {
  readonly group?: HookGroup;
  readonly warnings: readonly Warning[];
  readonly unusable: readonly UnusableEntry[];
}

function checkGroups(value: unknown, spot: Spot): Omit<CheckedGroup, "group"> & { readonly groups: HookGroup[] } {
  if (!Array.isArray(value)) {
    return { groups: [], ...unusableEntry(value, spot, "", `must be a list of groups, not ${showValue(value)}`) };
  }
  const checked = value.map((group, index) =>
    checkGroup(group, { ...spot, at: `${spot.at}[${index}]`, number: String(index) }),
  );
  return {
    // An empty group replaces one that is dropped, so that the others keep their numbers.
    groups: checked.map(({ group = { hooks: [] } }) => group),
    warnings: checked.flatMap(({ warnings }) => warnings),
    unusable: checked.flatMap(({ unusable }) => unusable),
  };
}

/** Keys that look like one that a group, or a hook of this type, may have. The failure policy is reported on its own. */
function misspelled(value: Entry, known: readonly string[], { file, at }: Spot): readonly Warning[] {
  const found = misspelledKeys(value, known).filter(({ key }) => !looksLikeOnFailure(key));
  return found.map(({ key, meant }) => {
    const text = `is not a known key, so it has no effect. Did you mean "${meant}"?`;
    return warningAt("settings-invalid", file, `${at}.${key}`, text);
  });
}

function checkGroup(value: unknown, spot: Spot): CheckedGroup {
  const refuse = (field: string, why: string) => unusableEntry(value, spot, field, why);
  if (!isObject(value)) return refuse("", `must be an object, not ${showValue(value)}`);
  const hooks = ownValue(value, "hooks");
  if (hooks === undefined && value["type"] !== undefined) {
    return refuse("", 'is a hook where a group is expected; wrap it as { "hooks": [ … ] }');
  }
  const group = withValidOnFailure(value, spot, false);
  const { hooks: _, ...own } = groupFields;
  const fault = fieldsFault(group.value, own);
  if (fault !== undefined) return refuse(fault.field, fault.why);
  if (!Array.isArray(hooks)) {
    return refuse("hooks", hooks === undefined ? missing(value, "hooks") : `must be a list, not ${showValue(hooks)}`);
  }
  const warnings: Warning[] = [...group.warnings, ...misspelled(value, keysOfGroup, spot)];
  const unusable: UnusableEntry[] = [];
  const kept = hooks.flatMap((given: unknown, index): FileHook[] => {
    const hookSpot = { ...spot, at: `${spot.at}.hooks[${index}]`, number: `${spot.number}.${index}` };
    const entry = isObject(given) ? withValidOnFailure(given, hookSpot, true) : { value: given, warnings: [] };
    const wrong = hookFault(entry.value);
    if (wrong !== undefined) {
      const refused = unusableEntry(given, hookSpot, wrong.field, wrong.why, group.value);
      warnings.push(...refused.warnings);
      unusable.push(...refused.unusable);
      return [];
    }
    const hook = entry.value as FileHook;
    warnings.push(...entry.warnings, ...misspelled({ ...hook }, keysOfHook(hook.type), hookSpot));
    return [hook];
  });
  return { group: { ...group.value, hooks: kept }, warnings, unusable };
}

function unusableEntry(value: unknown, spot: Spot, field: string, why: string, group: Entry = {}): CheckedGroup {
  const { event, number, file, at, guards } = spot;
  const given = isObject(value) ? value : {};
  const says = statedOnFailure(given);
  const denies = guards && (wantsBlock(value, spot) || (says ?? statedOnFailure(group)) === "block");
  const warning = invalid(file, field === "" ? at : `${at}.${field}`, why, denies);
  const matcher = group["matcher"] ?? given["matcher"];
  const entry = { event, number, at, entry: given, matcher, why: `${field || "it"} ${why}`, denies, warning };
  return { warnings: [warning], unusable: [entry] };
}

function invalid(file: string, at: string, why: string, denies = false): Warning {
  const effect = denies
    ? "Hookline treats this entry as a guard that fails: what it matches is denied until it is fixed."
    : "Hookline skips this entry and uses the rest of the file.";
  return warningAt("hook-invalid", file, at, `${asSentence(why)} ${effect}`);
}

function unknownEvent(event: string, file: string, rows: Rows): Warning {
  const near = closestName(event, Object.keys(rows));
  const hint = near ? `Did you mean ${showValue(near)}?` : "Its hooks are ignored.";
  return {
    code: "unknown-event",
    message: `${showValue(event)} in ${file} is not an event. ${hint}`,
    place: `${file}: hooks.${event}`,
  };
}

function unknownType(type: string): string {
  if (type === "callback" || type === "function")
    return `cannot be ${showValue(type)} in a file; a program registers those`;
  const near = closestName(type, fileHookTypes);
  return `is unknown: ${showValue(type)}${near ? `. Did you mean ${showValue(near)}?` : `; known are ${fileHookTypes.join(", ")}`}`;
}
