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
import { type Fault, fieldsFault, lookalike, misspelledKeys, ownValue } from "./check-fields.ts";
import { type ClientFile, onFailureEffect } from "./client-fault.ts";
import { clientHooks } from "./client-keys.ts";

/** The file that is checked. */
export interface HooksSource {
  /** Its name in messages. */
  readonly file: string;
  /** How Claude Code reads it; absent for files that it does not read as settings. */
  readonly client?: ClientFile;
}

/** The `hooks` of a file, as far as they can be used. */
export interface CheckedHooks {
  readonly hooks: Readonly<Record<string, readonly HookGroup[]>>;
  readonly warnings: readonly Warning[];
  /** Events of which an entry had to be dropped. */
  readonly damaged: readonly string[];
}

export type Rows = Readonly<Record<string, EventRow>>;

/**
 * Keeps every entry that can be used and says of every other one which it is and what is wrong with it.
 *
 * Contract: one bad entry takes nothing else with it; messages count entries as the file does.
 */
export function checkHooks(value: unknown, source: HooksSource, rows: Rows = catalog): CheckedHooks {
  const { file } = source;
  if (value === undefined) return { hooks: {}, warnings: [], damaged: [] };
  const warnings: Warning[] = [];
  const damaged = new Set<string>();
  const kept: [string, readonly HookGroup[]][] = [];
  if (!isObject(value)) {
    warnings.push(invalid(file, "hooks", `must be an object from event to list, not ${showValue(value)}`));
    return { hooks: {}, warnings, damaged: Object.keys(rows) };
  }
  for (const [event, groups] of Object.entries(value)) {
    if (!Object.hasOwn(rows, event)) {
      warnings.push(unknownEvent(event, file, rows));
      continue;
    }
    const checked = checkGroups(groups, event, source);
    kept.push([event, checked.groups]);
    warnings.push(...checked.warnings);
    if (checked.warnings.some(({ code }) => code === "hook-invalid")) damaged.add(event);
  }
  return { hooks: Object.fromEntries(kept), warnings, damaged: [...damaged] };
}

/** Why an entry of a file is not valid; undefined when it is. */
export function hookFault(entry: unknown): Fault | undefined {
  if (!isObject(entry)) return { field: "", why: `must be an object, not ${showValue(entry)}` };
  const type = ownValue(entry, "type");
  if (type === undefined) return { field: "type", why: missing(entry, "type") };
  if (typeof type !== "string") return { field: "type", why: `must be a text, not ${showValue(type)}` };
  const known = fileHookTypes.find((name) => name === type);
  if (known === undefined) return { field: "type", why: unknownType(type) };
  const fault = fieldsFault(entry, { ...hookFields[known] });
  return fault?.why === "is missing" ? { ...fault, why: missing(entry, fault.field) } : fault;
}

function missing(value: unknown, name: string): string {
  const near = lookalike(value, name);
  return near === undefined ? "is missing" : `is missing; ${showValue(near)} looks like it`;
}

function checkGroups(value: unknown, event: string, source: HooksSource): { groups: HookGroup[]; warnings: Warning[] } {
  const { file } = source;
  const at = `hooks.${event}`;
  if (!Array.isArray(value)) {
    return { groups: [], warnings: [invalid(file, at, `must be a list of groups, not ${showValue(value)}`)] };
  }
  const checked = value.map((group, index) => checkGroup(group, { source, event, at: `${at}[${index}]` }));
  return {
    // An empty group keeps the place of one that is off, so that the others keep their numbers.
    groups: checked.map(({ group = { hooks: [] } }) => group),
    warnings: checked.flatMap(({ warnings }) => warnings),
  };
}

/** Where a group or a hook is. */
interface Spot {
  readonly source: HooksSource;
  readonly event: string;
  readonly at: string;
}

/** A guard whose failure policy has a typo stays on, in the strict reading: `block`. */
function withValidOnFailure(
  value: Readonly<Record<string, unknown>>,
  { source: { file, client }, event, at }: Spot,
  isHook: boolean,
): { readonly value: Readonly<Record<string, unknown>>; readonly warnings: readonly Warning[] } {
  const fault = fieldsFault(value, { onFailure: groupFields.onFailure, failClosed: groupFields.failClosed });
  if (fault === undefined) return withMisspelledOnFailure(value, file, at);
  const { failClosed: _, ...rest } = value;
  // The client knows the key on these two types; anywhere else it does not look at it.
  const known = isHook && fault.field === "onFailure" && (value["type"] === "command" || value["type"] === "http");
  const effect = known && client !== undefined ? ` ${onFailureEffect(event, client)}.` : "";
  const warning: Warning = {
    code: "on-failure-invalid",
    message: `${at}.${fault.field} in ${file} ${asSentence(fault.why)} Hookline treats it as "block".${effect}`,
    place: `${file}: ${at}.${fault.field}`,
  };
  return { value: { ...rest, onFailure: "block" }, warnings: [warning] };
}

/** `on_failure` or `failclosed` is meant as the policy. */
function withMisspelledOnFailure(
  value: Readonly<Record<string, unknown>>,
  file: string,
  at: string,
): { readonly value: Readonly<Record<string, unknown>>; readonly warnings: readonly Warning[] } {
  const keys = Object.keys(value).filter(looksLikeOnFailure);
  if (keys.length === 0) return { value, warnings: [] };
  const isLax = (key: string) => value[key] === "continue" || value[key] === false;
  const warnings = keys.map((key): Warning => {
    const message = `${at}.${key} in ${file} is not a key of hooks. Did you mean "${closestName(key, policies)}"? ${isLax(key) ? "It is ignored." : 'Hookline treats it as "block".'}`;
    return { code: "on-failure-invalid", message, place: `${file}: ${at}.${key}` };
  });
  return { value: keys.every(isLax) ? value : { ...value, onFailure: "block" }, warnings };
}

const policies = ["onFailure", "failClosed"];

function looksLikeOnFailure(key: string): boolean {
  return !allKnownKeys.has(key) && closestName(key, policies) !== undefined;
}

/** Keys that look like one that a group, or a hook of this type, may have. The failure policy is reported on its own. */
function misspelled(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
  { source, at }: Spot,
): readonly Warning[] {
  const found = misspelledKeys(value, known).filter(({ key }) => !looksLikeOnFailure(key));
  return found.map(({ key, meant }) => ({
    code: "settings-invalid",
    message: `${at}.${key} in ${source.file} is not a known key, so it has no effect. Did you mean "${meant}"?`,
    place: `${source.file}: ${at}.${key}`,
  }));
}

const keysOfGroup = Object.keys(groupFields);

/** What Hookline or Claude Code knows. */
const keysOfHook: Readonly<Record<FileHook["type"], readonly string[]>> = {
  command: Object.keys({ ...hookFields.command, ...clientHooks["command"] }),
  http: Object.keys({ ...hookFields.http, ...clientHooks["http"] }),
  prompt: Object.keys({ ...hookFields.prompt, ...clientHooks["prompt"] }),
  agent: Object.keys({ ...hookFields.agent, ...clientHooks["agent"] }),
  mcp_tool: Object.keys({ ...hookFields.mcp_tool, ...clientHooks["mcp_tool"] }),
};

const allKnownKeys: ReadonlySet<string> = new Set([...keysOfGroup, ...Object.values(keysOfHook).flat()]);

function checkGroup(value: unknown, spot: Spot): { group?: HookGroup; warnings: Warning[] } {
  const { source, event, at } = spot;
  const { file } = source;
  if (!isObject(value)) return { warnings: [invalid(file, at, `must be an object, not ${showValue(value)}`)] };
  const hooks = ownValue(value, "hooks");
  if (hooks === undefined && value["type"] !== undefined) {
    return { warnings: [invalid(file, at, 'is a hook where a group is expected; wrap it as { "hooks": [ … ] }')] };
  }
  const group = withValidOnFailure(value, spot, false);
  const { hooks: _, ...own } = groupFields;
  const fault = fieldsFault(group.value, own) ?? (Array.isArray(hooks) ? undefined : listFault(value));
  if (fault !== undefined || !Array.isArray(hooks)) {
    return { warnings: [invalid(file, `${at}.${fault?.field ?? ""}`, fault?.why ?? "")] };
  }
  const warnings: Warning[] = [...group.warnings, ...misspelled(value, keysOfGroup, spot)];
  const kept = hooks.flatMap((given: unknown, index): FileHook[] => {
    const place = `${at}.hooks[${index}]`;
    const own = { source, event, at: place };
    const entry = isObject(given) ? withValidOnFailure(given, own, true) : { value: given, warnings: [] };
    const wrong = hookFault(entry.value);
    if (wrong !== undefined) {
      warnings.push(invalid(file, wrong.field === "" ? place : `${place}.${wrong.field}`, wrong.why));
      return [];
    }
    const hook = entry.value as FileHook;
    warnings.push(...entry.warnings, ...misspelled({ ...hook }, keysOfHook[hook.type], own));
    return [hook];
  });
  return { group: { ...group.value, hooks: kept }, warnings };
}

function listFault(group: Readonly<Record<string, unknown>>): Fault {
  const hooks = ownValue(group, "hooks");
  return {
    field: "hooks",
    why: hooks === undefined ? missing(group, "hooks") : `must be a list, not ${showValue(hooks)}`,
  };
}

function invalid(file: string, at: string, why: string): Warning {
  return {
    code: "hook-invalid",
    message: `${at} in ${file} ${asSentence(why)} Hookline skips this entry and uses the rest of the file.`,
    place: `${file}: ${at}`,
  };
}

function asSentence(sentence: string): string {
  return /[.?]$/.test(sentence) ? sentence : `${sentence}.`;
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
