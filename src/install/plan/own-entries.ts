import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Edit, JsonPath } from "../../engine/internal.ts";
import { type CommandHook, fieldOf, type HttpHook, hooksFileOfCommand, isObject } from "../../protocol/internal.ts";
import { appKey } from "../../sdk/internal.ts";
import { projectDir, shellLine, shellQuote, unwrapCommand } from "./hook-command.ts";
import type { Transport } from "./install-places.ts";

/** One entry of an event, as settings hold it. */
export interface PlannedEntry {
  readonly event: string;
  readonly transport: Transport;
  readonly group: { readonly matcher?: string; readonly hooks: readonly [CommandHook | HttpHook] };
}

/** What entries of an installed app are known by. */
export interface OwnEntryMarks {
  /** The project's folder, which `${CLAUDE_PROJECT_DIR}` stands for. */
  readonly root: string;
  /** The hooks file, and the one that was installed before it. */
  readonly hooksFiles: readonly string[];
  /** As the lock file has them, and as they would be written now. */
  readonly calls: readonly (readonly string[])[];
}

/** A group with hooks of ours: its number in its event's list, and those of our hooks in it. */
export interface OwnEntry {
  readonly event: string;
  readonly group: number;
  readonly hooks: readonly number[];
  /** Nothing else is in the group. */
  readonly alone: boolean;
  readonly value: unknown;
}

/** Every group of a settings file that holds a hook of ours, in order. Contract: reads whatever the file holds and throws for none of it. */
export function ownEntries(settings: unknown, marks: OwnEntryMarks): readonly OwnEntry[] {
  const isOurs = ownEntryMatcher(marks);
  return Object.entries(objectOf(objectOf(settings)["hooks"])).flatMap(([event, groups]) =>
    listOf(groups).flatMap((value, group): OwnEntry[] => {
      const all = listOf(objectOf(value)["hooks"]);
      const hooks = [...all.keys()].filter((index) => isOurs(objectOf(all[index])));
      return hooks.length === 0 ? [] : [{ event, group, hooks, alone: hooks.length === all.length, value }];
    }),
  );
}

/** Our hooks in a group, as somebody may have altered them: only what they are known by is certain. */
export function ownHooks({ hooks, value }: OwnEntry): readonly (CommandHook | HttpHook)[] {
  const all = listOf(objectOf(value)["hooks"]);
  return hooks.map((index) => {
    const { allowedEnvVars: names, ...hook } = objectOf(all[index]);
    return { ...hook, ...(Array.isArray(names) ? { allowedEnvVars: names } : {}) } as CommandHook | HttpHook;
  });
}

/** Those of type http, with their event. */
export function ownHttpHooks(entry: OwnEntry): readonly { readonly event: string; readonly hook: HttpHook }[] {
  return ownHooks(entry).flatMap((hook) => (hook.type === "http" ? [{ event: entry.event, hook }] : []));
}

/** An event and its call, as far as agents and our engine compare calls: equal ones of several files run once. */
export type EventCall = readonly [event: string, call: string];

export function callsOf(entries: readonly OwnEntry[]): readonly EventCall[] {
  return entries.flatMap((entry) => ownHooks(entry).map((hook) => callOf(entry.event, hook)));
}

export function callOf(event: string, { timeout: _, onFailure: __, ...call }: CommandHook | HttpHook): EventCall {
  return [event, JSON.stringify(Object.entries(call).sort())];
}

/** Whether two scopes never call the app twice for an event. */
export function runsOnce(calls: readonly EventCall[], others: readonly EventCall[]): boolean {
  return calls.every(([event, call]) => others.every(([other, its]) => other !== event || its === call));
}

function ownEntryMatcher(marks: OwnEntryMarks): (hook: Readonly<Record<string, unknown>>) => boolean {
  const { root, hooksFiles } = marks;
  // A program alone does not identify an entry, and an empty call would fit every entry: a lock file may come with a checkout.
  const calls = marks.calls.filter((call) => call.length > 1);
  const keys = new Set(hooksFiles.map((file) => appKey(file)));
  const isOurFile = (word: string) => keys.has(appKey(resolve(root, word.replaceAll(projectDir, root))));
  return ({ type, url, command, args }) => {
    if (type === "http") return typeof url === "string" && keys.has(keyIn(url) ?? "");
    if (type !== "command" || typeof command !== "string") return false;
    if (!Array.isArray(args))
      return (
        calls.some((call) => isShellCall(command, call)) || hooksFiles.some((file) => namesFile(command, file, root))
      );
    const words = unwrapCommand([command, ...args.map(String)]);
    if (calls.some((call) => call.every((word, index) => words[index] === word))) return true;
    const file = hooksFileOfCommand(words);
    return file !== undefined && isOurFile(file);
  };
}

function keyIn(url: string): string | undefined {
  return /^http:\/\/[^/]+\/v1\/hook\/([0-9a-f]{32})(?:[?#]|$)/.exec(url)?.[1];
}

function isShellCall(command: string, call: readonly string[]): boolean {
  const line = shellLine(call);
  return command === line || command.startsWith(`${line} `);
}

/** Without a lock file: our program, and the hooks file in the spelling we give it. */
function namesFile(command: string, hooksFile: string, root: string): boolean {
  if (!/hookline-client|bin\.cjs'? run\b/.test(command)) return false;
  const inside = hooksFile.startsWith(`${root}/`) ? [shellQuote(projectDir + hooksFile.slice(root.length))] : [];
  return [shellQuote(hooksFile), ...inside].some((word) => command.includes(` ${word}`));
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** What a file had before the first install: what else becomes empty is removed with our entries. */
export interface BeforeInstall {
  readonly hooks: boolean;
  readonly events: readonly string[];
}

export const nothingBefore: BeforeInstall = { hooks: false, events: [] };

export function beforeInstall(settings: unknown): BeforeInstall {
  const hooks = fieldOf(settings, "hooks");
  return { hooks: hooks !== undefined, events: isObject(hooks) ? Object.keys(hooks) : [] };
}

/** Edits that bring a settings file to a plan: own entries are replaced in place, missing ones added, surplus ones cut. */
export function installEdits(
  settings: unknown,
  planned: readonly PlannedEntry[],
  marks: OwnEntryMarks,
  had: BeforeInstall,
): readonly Edit[] {
  const own = ownEntries(settings, marks);
  const kept = new Map(planned.map(({ event }) => [event, own.find((one) => one.event === event && one.alone)]));
  const replaced = planned.flatMap(({ event, group }): Edit[] => {
    const at = kept.get(event);
    if (at === undefined) return [];
    return isDeepStrictEqual(at.value, group) ? [] : [{ do: "set", path: groupPath(at), value: group }];
  });
  const surplus = own.filter((one) => kept.get(one.event) !== one);
  const added = planned
    .filter(({ event }) => kept.get(event) === undefined)
    .map(({ event, group }): Edit => ({ do: "append", path: ["hooks", event], value: group }));
  // Added first, so that a list whose surplus goes is not emptied in between.
  return [...replaced, ...added, ...cuts(surplus, had)];
}

/** Edits that take everything of ours out. */
export function removeEdits(settings: unknown, marks: OwnEntryMarks, had: BeforeInstall): readonly Edit[] {
  return cuts(ownEntries(settings, marks), had);
}

/** From the last to the first, so that the numbers of those still to go stay true. */
function cuts(places: readonly OwnEntry[], had: BeforeInstall): readonly Edit[] {
  return places.toReversed().flatMap((place): readonly Edit[] => {
    const path = groupPath(place);
    if (place.alone) return [{ do: "remove", path, made: madePath(place, had) }];
    return place.hooks.toReversed().map((hook): Edit => ({ do: "remove", path: [...path, "hooks", hook] }));
  });
}

function groupPath({ event, group }: OwnEntry): JsonPath {
  return ["hooks", event, group];
}

function madePath(place: OwnEntry, { hooks, events }: BeforeInstall): JsonPath {
  if (!hooks) return ["hooks"];
  return events.includes(place.event) ? groupPath(place) : ["hooks", place.event];
}
