import {
  catalog,
  type Field,
  type Fields,
  isObject,
  parseJson,
  showValue,
  type Warning,
} from "../../protocol/internal.ts";
import { type Fault, faultOf, fieldsFault, firstFound, ownValue } from "./check-fields.ts";
import { claudeCodeHooks, claudeCodeKeys, newerEvents, olderClaudeCodeKeys } from "./claude-code-keys.ts";
import { itemAt, type JsonPath } from "./json/edit-text.ts";
import { type JsonNode, jsoncParts, parseJsonc, placeIn, plainValue } from "./json/jsonc.ts";
import { managedFiles, ownSettingsFiles, readSourceText, type SettingsPlaces } from "./settings-source.ts";

/** Why Claude Code does not use a settings file, and where in the text. */
export interface ClaudeCodeFault {
  readonly line: number;
  readonly column: number;
  readonly reason: string;
  /** What is lost, by version of Claude Code. */
  readonly effect: string;
  /** Present when comments and trailing commas are the only fault. */
  readonly cure?: "strip-comments";
}

/** Of managed files Claude Code keeps what it can. It drops files of users and projects as a whole. */
export type ClaudeCodeFile = "own" | "managed";

type Loss = "text" | "older" | "guard entry" | "entry" | "newer guard entry" | "newer entry" | "hooks";

const dropped = "drops the whole file, its hooks included";
const noHooks = "runs none of its hooks";

const effects: Readonly<Record<ClaudeCodeFile, Readonly<Record<Loss, string>>>> = {
  own: {
    text: `Claude Code ${dropped}`,
    older: `Claude Code 2.1.197 ${dropped}`,
    "guard entry": `Claude Code ${dropped}`,
    entry: `Claude Code 2.1.197 ${dropped}; 2.1.325 drops this entry`,
    "newer guard entry": `Claude Code 2.1.325 ${dropped}`,
    "newer entry": "Claude Code 2.1.325 drops this entry",
    hooks: `Claude Code ${noHooks}`,
  },
  managed: {
    text: `Claude Code 2.1.325 does not start; 2.1.197 ${dropped}`,
    older: "Claude Code 2.1.197 ignores this key",
    "guard entry": `Claude Code ${noHooks}`,
    entry: `Claude Code 2.1.197 ${noHooks}; 2.1.325 drops this entry`,
    "newer guard entry": `Claude Code 2.1.325 ${noHooks}`,
    "newer entry": "Claude Code 2.1.325 drops this entry",
    hooks: `Claude Code ${noHooks}`,
  },
};

/**
 * The first thing in a settings file that keeps Claude Code from using it; undefined when it reads the file. Measured with 2.1.197 and
 * 2.1.325. Contract: pure, never throws. A file that only Hookline cannot read (a key given twice) has no fault here.
 */
export function claudeCodeFault(text: string, file: ClaudeCodeFile = "own"): ClaudeCodeFault | undefined {
  if (text.trim() === "") return undefined;
  const parsed = parseJsonc(text);
  const isPlain = parseJson(text.replace(/^\ufeff/, "")) !== undefined;
  if ("fault" in parsed) {
    const { line, column, why } = parsed.fault;
    return isPlain ? undefined : { line, column, reason: why, effect: effects[file].text };
  }
  const inValue = faultIn(parsed.tree, text, file);
  if (isPlain) return inValue;
  const [first] = jsoncParts(text);
  const reason = `a ${first?.kind ?? "character"}, which is not allowed in JSON`;
  const cure = inValue === undefined && first !== undefined ? { cure: "strip-comments" as const } : {};
  return { ...placeIn(text, first?.start ?? 0), reason, effect: effects[file].text, ...cure };
}

/** The fault in a message, with the way out. `install` is the command that installs an app into the file, if there is an app. */
export function claudeCodeFaultText(file: string, fault: ClaudeCodeFault, install?: string): string {
  const { line, column, reason, effect, cure } = fault;
  const strip = install === undefined ? "" : ` Or run: ${install} --strip-comments (keeps a backup).`;
  const wayOut = cure === undefined ? "Correct it by hand." : `Remove all comments and trailing commas.${strip}`;
  return `${file}:${line}:${column}: ${reason}. ${effect}. ${wayOut}`;
}

interface ValueFault {
  readonly path: JsonPath;
  readonly reason: string;
  readonly loss: Loss;
}

function faultIn(tree: JsonNode, text: string, file: ClaudeCodeFile): ClaudeCodeFault | undefined {
  const found = valueFault(plainValue(tree), file);
  if (found === undefined) return undefined;
  const { path, reason, loss } = found;
  return { ...placeIn(text, startOf(tree, path)), reason, effect: effects[file][loss] };
}

function valueFault(value: unknown, file: ClaudeCodeFile): ValueFault | undefined {
  if (!isObject(value))
    return { path: [], reason: `the file must hold an object, not ${showValue(value)}`, loss: "text" };
  // In a policy Claude Code ignores such a key and keeps the rest.
  const keyFault = (keys: Fields) => (file === "managed" ? undefined : fieldsFault(value, keys));
  const [now, older] = [keyFault(claudeCodeKeys()), keyFault(olderClaudeCodeKeys)];
  if (now !== undefined) return lostBy(now, "text");
  return older ? lostBy(older, "older") : hooksFault(ownValue(value, "hooks"));
}

function lostBy({ field, why }: Fault, loss: Loss): ValueFault {
  const path = field.split(".").map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  return { path, reason: `${field} ${why}`, loss };
}

function hooksFault(hooks: unknown): ValueFault | undefined {
  const fault = faultOf(hooks, { is: "object", optional: true }, "hooks");
  if (fault !== undefined) return lostBy(fault, "hooks");
  const known = Object.entries(hooks ?? {}).filter(([event]) => Object.hasOwn(catalog, event));
  return firstFound(known, ([event, groups]) => eventFault(event, groups));
}

/** Both versions drop the file for a bad entry of these events; for other events the newer one drops only the entry. */
const guards: ReadonlySet<string> = new Set(["PreToolUse", "PermissionRequest"]);

function eventFault(event: string, groups: unknown): ValueFault | undefined {
  const at = `hooks.${event}`;
  if (!Array.isArray(groups)) {
    const fault = groups === null || !guards.has(event) ? undefined : faultOf(groups, list, at);
    return fault && lostBy(fault, "newer guard entry");
  }
  const fault = firstFound(groups.entries(), ([index, group]) => groupFault(group, `${at}.${index}`));
  return fault && lostBy(fault, lossOf(event, fault.field.endsWith(".onFailure")));
}

/** The effect in Claude Code of a bad `onFailure` of a hook. */
export function onFailureEffect(event: string, file: ClaudeCodeFile): string {
  return effects[file][lossOf(event, true)];
}

/** The older version does not know `onFailure` and ignores it. */
function lossOf(event: string, isOnFailure: boolean): Loss {
  if (guards.has(event)) return isOnFailure ? "newer guard entry" : "guard entry";
  return isOnFailure || newerEvents.has(event) ? "newer entry" : "entry";
}

const list: Field = { is: "list", of: { is: "anything" } };
const groupField: Field = { is: "object", fields: { matcher: { is: "text", optional: true }, hooks: list } };

function groupFault(group: unknown, at: string): Fault | undefined {
  const fault = faultOf(group, groupField, at);
  if (fault !== undefined) return fault;
  const { hooks } = group as { hooks: readonly unknown[] };
  return firstFound(hooks.entries(), ([index, hook]) => hookEntryFault(hook, `${at}.hooks.${index}`));
}

function hookEntryFault(hook: unknown, at: string): Fault | undefined {
  if (!isObject(hook)) return faultOf(hook, { is: "object" }, at);
  const type = ownValue(hook, "type");
  const fields = typeof type === "string" && Object.hasOwn(claudeCodeHooks, type) ? claudeCodeHooks[type] : undefined;
  if (fields === undefined) {
    const why = type === undefined ? "is missing" : `is not a hook type: ${showValue(type)}`;
    return { field: `${at}.type`, why };
  }
  const fault = fieldsFault(hook, fields, at);
  if (fault !== undefined) return fault;
  const url = ownValue(hook, "url");
  if (type === "http" && typeof url === "string" && !URL.canParse(url))
    return { field: `${at}.url`, why: "is not a URL" };
  const empty = ["rewakeMessage", "rewakeSummary"].find((name) => type === "command" && ownValue(hook, name) === "");
  return empty === undefined ? undefined : { field: `${at}.${empty}`, why: "must not be empty" };
}

/** The start of a value, or of the nearest existing value around it. */
function startOf(tree: JsonNode, path: JsonPath): number {
  let node = tree;
  let start = tree.start;
  for (const step of path) {
    const item = node.kind === "leaf" ? undefined : itemAt(node, step);
    if (item === undefined) break;
    start = item.start;
    node = item.value;
  }
  return start;
}

/**
 * A warning for every settings file that Claude Code reads by itself (managed, user, project, local) and does not use as it is.
 * Files that a caller names are not among them: there comments are legal.
 */
export async function claudeCodeWarnings(
  places: Pick<SettingsPlaces, "cwd" | "claudeHome" | "managedFolder">,
): Promise<readonly Warning[]> {
  // A folder that cannot be listed is reported by the reader of all layers.
  const { files: policy } = await managedFiles(places.managedFolder);
  const own = new Set(Object.values(ownSettingsFiles(places)));
  const found = await Promise.all([
    ...policy.map((file) => fileWarning(file, "managed")),
    ...[...own].map((file) => fileWarning(file, "own")),
  ]);
  return found.flat();
}

async function fileWarning(file: string, kind: ClaudeCodeFile): Promise<readonly Warning[]> {
  const fault = claudeCodeFault((await readSourceText(file)) ?? "", kind);
  if (fault === undefined) return [];
  const place = `${file}:${fault.line}:${fault.column}`;
  return [{ code: "client-cannot-read", message: claudeCodeFaultText(file, fault), place }];
}
