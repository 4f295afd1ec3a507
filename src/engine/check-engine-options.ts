import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import {
  checkAll,
  checkNamed,
  checkOf,
  isObject,
  mustBe,
  type OptionCheck,
  oneOfCheck,
  showValue,
} from "../protocol/internal.ts";
import { checkEventRows } from "./check-event-rows.ts";
import type { FireOptions } from "./engine-type.ts";
import type { EngineOptions } from "./options.ts";
import type { Ports } from "./ports.ts";

/** Refuses options that could not be kept: an engine must not run with less than its host believes. */
export function checkEngineOptions(options: EngineOptions, of = "openEngine"): void {
  checkNamed(of, options, checks, "engine/bad-option");
  checkNamed("ports", options.ports ?? {}, portChecks, "engine/bad-option");
  if (options.events !== undefined) checkEventRows(options.events);
}

/** A misspelled `signal` would leave an event that cannot be ended. */
export function checkFireOptions(options: FireOptions, of = "fire"): void {
  checkNamed(of, options, fireChecks, "engine/bad-option");
}

/** A misspelled `waitMs` would end hooks that were to have time. */
export function checkCloseOptions(options: object): void {
  checkNamed("engine.close", options, { waitMs: milliseconds }, "engine/bad-option");
}

/** A misspelled `written` would ask hooks about what the host wrote itself. */
export function checkReloadOptions(options: object): void {
  checkNamed("engine.reload", options, { written: mustBe.textList }, "engine/bad-option");
}

/** An empty path would mean the current directory, whose settings were not approved. */
const path = checkOf("a path that is not empty and has no NUL character", isPath);
/** Which settings are the user's own must not depend on the folder: otherwise a checkout could bring trusted settings. */
const absolutePath = checkOf("an absolute path", (value) => isPath(value) && isAbsolute(value));

const milliseconds = checkOf("a number of milliseconds", (value) => typeof value === "number" && value >= 0);

const sources: ReadonlySet<unknown> = new Set(["user", "project", "local"]);

const checks: Readonly<Record<keyof EngineOptions, OptionCheck | undefined>> = {
  ...checkAll(mustBe.boolean, "interactive", "olderFields", "canDefer", "bypassAvailable", "observeContent"),
  ...checkAll(mustBe.function, "conversation", "agentKind", "common"),
  ...checkAll(path, "managedFolder", "envFileRoot"),
  ...checkAll(absolutePath, "home", "claudeHome"),
  cwd: (value) => path(value) ?? folderFault(String(value)),
  env: valuesOf("an object with strings", (value) => value === undefined || typeof value === "string"),
  settings: valuesOf(
    "a list of file names, JSON texts or objects",
    (item) => typeof item === "string" || isObject(item),
  ),
  settingSources: valuesOf('a list of "user", "project" or "local"', (item) => sources.has(item)),
  trust: oneOfCheck(["pinned", "workspace", "implicit"]),
  ports: mustBe.object,
  events: valuesOf("a list of rows", isNamedRow),
  plugins: valuesOf("a list of folder names", isPath),
  toolAliases: valuesOf("an object with tool names", (item) => typeof item === "string"),
  concurrency: atLeast(1),
  stripEnv: valuesOf("a list of variable names", (item) => typeof item === "string"),
  stopBlockCap: atLeast(0),
  rejudge: oneOfCheck(["conditions", "all"]),
  judgeTimeoutMs: checkOf("a number of milliseconds above 0", (value) => typeof value === "number" && value > 0),
  startedAs: mustBe.text,
};

const portChecks: Readonly<Record<keyof Ports, OptionCheck | undefined>> = {
  ...checkAll(mustBe.function, "model", "agent", "mcp", "asker", "wake", "judge", "observe"),
  clock: checkOf("an object with now()", (port) => isObject(port) && typeof port["now"] === "function"),
};

const fireChecks: Readonly<Record<keyof FireOptions, OptionCheck | undefined>> = {
  signal: checkOf("an AbortSignal", (value) => value instanceof EventTarget),
  forceSync: undefined,
  rewrittenFrom: mustBe.object,
  progress: checkOf("an object with everyMs, a number of milliseconds, and tell()", isListener),
};

function isListener(value: unknown): boolean {
  return isObject(value) && milliseconds(value["everyMs"]) === undefined && typeof value["tell"] === "function";
}

function isPath(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !value.includes("\0");
}

function folderFault(path: string): string | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? undefined : "an existing directory";
  } catch (error) {
    // A path that no file can have, or one in a folder that may not be entered.
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return `a folder that can be read (${code})`;
  }
}

/** A list or an object, as the first words of `what` say, in which every item fits. */
function valuesOf(what: string, fits: (item: unknown) => boolean): OptionCheck {
  const isKind = what.startsWith("a list") ? Array.isArray : isObject;
  return (value) => {
    if (!isKind(value)) return what;
    const wrong = Object.entries(value).find(([, item]) => !fits(item));
    return wrong && `${what} (at ${wrong[0]}: ${showValue(wrong[1])})`;
  };
}

function atLeast(least: number): OptionCheck {
  const isWhole = (value: unknown) => Number.isInteger(value) || value === Number.POSITIVE_INFINITY;
  return checkOf(`a whole number of at least ${least}`, (value) => isWhole(value) && Number(value) >= least);
}

function isNamedRow(row: unknown): boolean {
  return (
    isObject(row) && typeof row["name"] === "string" && /^[A-Za-z]\w*$/.test(row["name"]) && isObject(row["fields"])
  );
}
