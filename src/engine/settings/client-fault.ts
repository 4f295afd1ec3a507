import { join } from "node:path";
import { type Fs, nodeFs } from "../../files/internal.ts";
import { catalog, isObject, showValue, type Warning } from "../../protocol/internal.ts";
import { type Fault, fieldsFault, ownValue } from "./check-fields.ts";
import { clientHooks, clientKeys, newerEvents, olderClientKeys } from "./client-keys.ts";
import { itemAt, type JsonPath } from "./json/edit-text.ts";
import { jsoncParts } from "./json/json-layout.ts";
import { type JsonNode, parseJsonc, placeIn, plainValue } from "./json/jsonc.ts";
import type { SettingsPlaces } from "./load-layers.ts";
import { managedFiles, readSettingsSource } from "./settings-source.ts";

/** Why Claude Code does not use a settings file, and where in the text. */
export interface ClientFault {
  readonly line: number;
  readonly column: number;
  readonly reason: string;
  /** What is lost, by client version. */
  readonly effect: string;
  /** Present when the file is good but for comments and trailing commas. */
  readonly cure?: "strip-comments";
}

/** A policy keeps what it can; the files of users and projects are dropped whole. */
export type ClientFile = "own" | "managed";

type Loss = "text" | "older" | "guard entry" | "entry" | "newer guard entry" | "newer entry" | "hooks";

const dropped = "drops the whole file, its hooks included";
const noHooks = "runs none of its hooks";

const effects: Readonly<Record<ClientFile, Readonly<Record<Loss, string>>>> = {
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
export function clientFault(text: string, file: ClientFile = "own"): ClientFault | undefined {
  if (text.trim() === "") return undefined;
  const parsed = parseJsonc(text);
  const isPlain = isPlainJson(text);
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

/** The fault in one sentence, with the way out. `install` is the command that installs into the file, where there is an app for it. */
export function clientFaultText(file: string, fault: ClientFault, install?: string): string {
  const { line, column, reason, effect, cure } = fault;
  const strip = install === undefined ? "" : ` Or run: ${install} --strip-comments (keeps a backup).`;
  const wayOut = cure === undefined ? "Correct it by hand." : `Remove all comments and trailing commas.${strip}`;
  return `${file}:${line}:${column}: ${reason}. ${effect}. ${wayOut}`;
}

function isPlainJson(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\ufeff/, ""));
    return true;
  } catch {
    // The parser throws for nothing else.
    return false;
  }
}

interface ValueFault {
  readonly path: JsonPath;
  readonly reason: string;
  readonly loss: Loss;
}

function faultIn(tree: JsonNode, text: string, file: ClientFile): ClientFault | undefined {
  const found = valueFault(plainValue(tree), file);
  if (found === undefined) return undefined;
  const { path, reason, loss } = found;
  return { ...placeIn(text, startOf(tree, path)), reason, effect: effects[file][loss] };
}

function valueFault(value: unknown, file: ClientFile): ValueFault | undefined {
  if (!isObject(value))
    return { path: [], reason: `the file must hold an object, not ${showValue(value)}`, loss: "text" };
  // In a policy the client ignores such a key and keeps the rest.
  return (file === "managed" ? undefined : keyFault(value)) ?? hooksFault(ownValue(value, "hooks"));
}

function keyFault(value: Readonly<Record<string, unknown>>): ValueFault | undefined {
  const now = fieldsFault(value, clientKeys());
  const fault = now ?? fieldsFault(value, olderClientKeys);
  if (fault === undefined) return undefined;
  const loss = now === undefined ? "older" : "text";
  return { path: pathOf(fault.field), reason: `${fault.field} ${fault.why}`, loss };
}

function hooksFault(hooks: unknown): ValueFault | undefined {
  if (hooks === undefined) return undefined;
  if (!isObject(hooks)) {
    return { path: ["hooks"], reason: `hooks must be an object, not ${showValue(hooks)}`, loss: "hooks" };
  }
  for (const [event, groups] of Object.entries(hooks)) {
    const fault = Object.hasOwn(catalog, event) ? eventFault(event, groups) : undefined;
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Both versions drop the file for a bad entry of these events; the newer one drops only the entry of any other. */
const guards: ReadonlySet<string> = new Set(["PreToolUse", "PermissionRequest"]);

function eventFault(event: string, groups: unknown): ValueFault | undefined {
  const at = ["hooks", event];
  if (!Array.isArray(groups)) {
    if (groups === null || !guards.has(event)) return undefined;
    return { path: at, reason: `${at.join(".")} must be a list, not ${showValue(groups)}`, loss: "newer guard entry" };
  }
  for (const [index, group] of groups.entries()) {
    const fault = groupFault(group);
    if (fault === undefined) continue;
    const path = [...at, index, ...fault.path];
    return { path, reason: `${path.join(".")} ${fault.why}`, loss: lossOf(event, path.at(-1) === "onFailure") };
  }
  return undefined;
}

/** What Claude Code does for a bad `onFailure` of a hook. */
export function onFailureEffect(event: string, file: ClientFile): string {
  return effects[file][lossOf(event, true)];
}

/** The older version does not know `onFailure` and ignores it. */
function lossOf(event: string, isOnFailure: boolean): Loss {
  if (guards.has(event)) return isOnFailure ? "newer guard entry" : "guard entry";
  return isOnFailure || newerEvents.has(event) ? "newer entry" : "entry";
}

interface EntryFault {
  readonly path: JsonPath;
  readonly why: string;
}

function groupFault(group: unknown): EntryFault | undefined {
  if (!isObject(group)) return { path: [], why: `must be an object, not ${showValue(group)}` };
  const matcher = ownValue(group, "matcher");
  if (matcher !== undefined && typeof matcher !== "string") {
    return { path: ["matcher"], why: `must be a text, not ${showValue(matcher)}` };
  }
  const hooks = ownValue(group, "hooks");
  if (!Array.isArray(hooks)) {
    return { path: ["hooks"], why: hooks === undefined ? "is missing" : `must be a list, not ${showValue(hooks)}` };
  }
  for (const [index, hook] of hooks.entries()) {
    const fault = hookEntryFault(hook);
    if (fault !== undefined) return { path: ["hooks", index, ...pathOf(fault.field)], why: fault.why };
  }
  return undefined;
}

function hookEntryFault(hook: unknown): Fault | undefined {
  if (!isObject(hook)) return { field: "", why: `must be an object, not ${showValue(hook)}` };
  const type = ownValue(hook, "type");
  const fields = typeof type === "string" && Object.hasOwn(clientHooks, type) ? clientHooks[type] : undefined;
  if (fields === undefined) {
    return { field: "type", why: type === undefined ? "is missing" : `is not a hook type: ${showValue(type)}` };
  }
  const fault = fieldsFault(hook, fields);
  if (fault !== undefined) return fault;
  const url = ownValue(hook, "url");
  if (type === "http" && typeof url === "string" && !URL.canParse(url)) return { field: "url", why: "is not a URL" };
  const empty = ["rewakeMessage", "rewakeSummary"].find((name) => type === "command" && ownValue(hook, name) === "");
  return empty === undefined ? undefined : { field: empty, why: "must not be empty" };
}

function pathOf(field: string): JsonPath {
  return field === "" ? [] : field.split(".").map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

/** Where the value begins, or the nearest thing around it that is there. */
function startOf(tree: JsonNode, path: JsonPath): number {
  let node = tree;
  let start = tree.start;
  for (const step of path) {
    if (node.kind === "leaf") break;
    const item = itemAt(node, step);
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
export async function clientReadWarnings(
  places: Pick<SettingsPlaces, "cwd" | "clientHome" | "managedFolder">,
  fs: Fs = nodeFs,
): Promise<readonly Warning[]> {
  // A folder that cannot be listed is reported by the reader of all layers.
  const { files: policy } = await managedFiles(places.managedFolder, fs);
  const own = new Set([
    join(places.clientHome, "settings.json"),
    join(places.cwd, ".claude", "settings.json"),
    join(places.cwd, ".claude", "settings.local.json"),
  ]);
  const found = await Promise.all([
    ...policy.map((file) => fileWarning(file, "managed", fs)),
    ...[...own].map((file) => fileWarning(file, "own", fs)),
  ]);
  return found.flat();
}

async function fileWarning(file: string, kind: ClientFile, fs: Fs): Promise<readonly Warning[]> {
  const source = await readSettingsSource(file, fs);
  if (source.is !== "read") return [];
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(source.bytes);
  const fault = clientFault(text, kind);
  if (fault === undefined) return [];
  const place = `${file}:${fault.line}:${fault.column}`;
  return [{ code: "client-cannot-read", message: clientFaultText(file, fault), place }];
}
