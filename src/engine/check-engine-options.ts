import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { catalog, closestName, isObject, Problem, showValue } from "../protocol/internal.ts";
import type { FireOptions } from "./engine-type.ts";
import type { EngineOptions } from "./options.ts";

/** Refuses options that could not be kept: an engine must not run with less than its host believes. */
export function checkEngineOptions(options: EngineOptions): void {
  if (!isObject(options)) throw bad("", `Engine options are an object, not ${showValue(options)}.`);
  for (const [name, value] of Object.entries(options)) {
    if (!isOption(name)) {
      const near = closestName(name, Object.keys(checks));
      throw bad(name, `There is no engine option ${showValue(name)}.${near ? ` Did you mean "${near}"?` : ""}`);
    }
    const wrong = value === undefined ? undefined : checks[name](value);
    if (wrong !== undefined) throw bad(name, `The engine option ${name} ${wrong}.`);
  }
}

type Check = (value: unknown) => string | undefined;

/** An empty path would mean the current directory, whose settings were not approved. */
const path: Check = (value) => {
  if (typeof value !== "string") return `must be a string, not ${showValue(value)}`;
  if (value === "") return "must not be empty";
  return value.includes("\0") ? `holds a NUL character: ${showValue(value)}` : undefined;
};
const flag: Check = (value) =>
  typeof value === "boolean" ? undefined : `must be true or false, not ${showValue(value)}`;
const work: Check = (value) =>
  typeof value === "function" ? undefined : `must be a function, not ${showValue(value)}`;
const object: Check = (value) => (isObject(value) ? undefined : `must be an object, not ${showValue(value)}`);

const checks: Readonly<Record<keyof EngineOptions, Check>> = {
  cwd: (value) => path(value) ?? folder(String(value)),
  home: (value) => path(value) ?? absolute(String(value)),
  env: valuesOf("strings", (value) => value === undefined || typeof value === "string"),
  settings: listOf("file names, JSON texts or objects", (item) => typeof item === "string" || isObject(item)),
  settingSources: listOf('"user", "project" or "local"', (item) => ["user", "project", "local"].includes(String(item))),
  trust: oneOf("pinned", "workspace", "implicit"),
  interactive: flag,
  ports: (value) => object(value) ?? checkPorts(value as Readonly<Record<string, unknown>>),
  events: (value) =>
    listOf("rows", isNamedRow)(value) ?? rowsFault(value as readonly Readonly<Record<string, unknown>>[]),
  plugins: listOf("folder names", (item) => path(item) === undefined),
  managedFolder: path,
  toolAliases: valuesOf("tool names", isText),
  concurrency: atLeast(1),
  stripEnv: listOf("variable names", isText),
  olderFields: flag,
  stopBlockCap: atLeast(0),
  canDefer: flag,
  rejudge: oneOf("conditions", "all"),
  judgeTimeoutMs: (value) =>
    typeof value === "number" && value > 0
      ? undefined
      : `must be a number of milliseconds above 0, not ${showValue(value)}`,
  bypassAvailable: flag,
  observeContent: flag,
  conversation: work,
  agentKind: work,
  startedAs: (value) => (isText(value) ? undefined : `must be the name of an agent, not ${showValue(value)}`),
  clientHome: (value) => path(value) ?? absolute(String(value)),
  envFileRoot: path,
  common: work,
};

function isOption(name: string): name is keyof EngineOptions {
  return Object.hasOwn(checks, name);
}

function isNamedRow(row: unknown): boolean {
  return (
    isObject(row) && typeof row["name"] === "string" && /^[A-Za-z]\w*$/.test(row["name"]) && isObject(row["fields"])
  );
}

/** Every row of the catalog has every part, so any of them shows what one of the host's own needs. */
function rowsFault(rows: readonly Readonly<Record<string, unknown>>[]): string | undefined {
  for (const row of rows) {
    const wrong = Object.entries(catalog.TaskCreated).find(([part, like]) => !isPart(row[part], part, like));
    if (wrong === undefined) continue;
    const [part] = wrong;
    return `has a row ${showValue(row["name"])} whose ${part} is ${showValue(row[part])}. Begin with a row of the catalog, as in { ...catalog.TaskCreated, name: "Deploy" }`;
  }
  return undefined;
}

function isPart(value: unknown, part: string, like: unknown): boolean {
  if (part === "matchesOn") return value === null || (isObject(value) && typeof value["field"] === "string");
  return ofTwoKinds.has(part) ? value !== undefined : kindOf(value) === kindOf(like);
}

/** Parts that may be null, or of two kinds. */
const ofTwoKinds: ReadonlySet<string> = new Set([
  "onText",
  "onBlock",
  "onOther",
  "timeoutMs",
  "blocks",
  "awaited",
  "app",
]);

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return isObject(value) ? "an object" : typeof value === "boolean" ? "true or false" : `a ${typeof value}`;
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

/** Which settings are the user's own must not depend on the folder: otherwise a checkout could bring trusted settings. */
function absolute(path: string): string | undefined {
  return isAbsolute(path) ? undefined : `must be an absolute path, not ${showValue(path)}`;
}

/** The same for what the environment says. */
export function checkHome(name: string, path: string): string {
  const wrong = absolute(path);
  if (wrong === undefined) return path;
  throw bad(name, `${name} in the environment ${wrong}: the settings of any folder would count as your own.`);
}

function folder(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) return undefined;
    return `must be a folder: ${showValue(path)} ${found === undefined ? "does not exist" : "is not one"}`;
  } catch (error) {
    // A path that no file can have, or one behind a folder that may not be entered.
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return `must be a folder: ${showValue(path)} cannot be looked at (${code})`;
  }
}

function listOf(what: string, fits: (item: unknown) => boolean): Check {
  return (value) => {
    if (!Array.isArray(value)) return `must be a list of ${what}, not ${showValue(value)}`;
    const at = value.findIndex((item) => !fits(item));
    return at < 0 ? undefined : `must be a list of ${what}; [${at}] is ${showValue(value[at])}`;
  };
}

function valuesOf(what: string, fits: (item: unknown) => boolean): Check {
  return (value) => {
    if (!isObject(value)) return `must be an object with ${what}, not ${showValue(value)}`;
    const wrong = Object.entries(value).find(([, item]) => !fits(item));
    return wrong && `must be an object with ${what}; ${wrong[0]} is ${showValue(wrong[1])}`;
  };
}

function oneOf(...words: readonly string[]): Check {
  const known = words.map((word) => `"${word}"`).join(", ");
  return (value) =>
    words.some((word) => word === value) ? undefined : `must be one of ${known}, not ${showValue(value)}`;
}

function atLeast(least: number): Check {
  return (value) => {
    const fits = Number.isInteger(value) || value === Number.POSITIVE_INFINITY;
    return fits && Number(value) >= least
      ? undefined
      : `must be a whole number of at least ${least}, not ${showValue(value)}`;
  };
}

const portNames = ["model", "agent", "mcp", "asker", "wake", "judge", "observe", "clock"];

function checkPorts(ports: Readonly<Record<string, unknown>>): string | undefined {
  for (const [name, port] of Object.entries(ports)) {
    if (!portNames.includes(name)) {
      const near = closestName(name, portNames);
      return `has no port ${showValue(name)}.${near ? ` Did you mean "${near}"?` : ` Ports are ${portNames.join(", ")}`}`;
    }
    if (port === undefined) continue;
    const fits = name === "clock" ? isObject(port) && typeof port["now"] === "function" : typeof port === "function";
    if (!fits)
      return `must have ${name === "clock" ? "an object with now()" : "a function"} as ${name}, not ${showValue(port)}`;
  }
  return undefined;
}

function bad(option: string, message: string): Problem {
  return new Problem("engine/bad-option", message.replace(/\?\.$/, "?"), { about: { option } });
}

const fireOptions = [
  "signal",
  "forceSync",
  "rewrittenFrom",
  "progress",
] as const satisfies readonly (keyof FireOptions)[];

/** A misspelled `signal` would leave an event that cannot be ended. */
export function checkFireOptions(options: FireOptions): void {
  if (!isObject(options)) throw badFireOption("The options of an event are an object.");
  for (const name of Object.keys(options)) {
    if (fireOptions.some((one) => one === name)) continue;
    const near = closestName(name, fireOptions);
    throw badFireOption(
      `There is no option "${name}" of an event.${near === undefined ? "" : ` Did you mean "${near}"?`}`,
    );
  }
  const { signal } = options;
  if (signal !== undefined && !(signal instanceof EventTarget))
    throw badFireOption("The signal of an event is an AbortSignal.");
}

function badFireOption(message: string): Problem {
  return new Problem("engine/bad-option", message);
}
