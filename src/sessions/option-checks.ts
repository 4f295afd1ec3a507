import {
  abortSignalCheck,
  booleanCheck,
  checkNamed,
  checkOf,
  fieldOf,
  functionCheck,
  isObject,
  numberCheck,
  type OptionCheck,
  objectCheck,
  oneOfCheck,
  Problem,
  plainLine,
  textCheck,
} from "../protocol/internal.ts";

const list = checkOf("a list", Array.isArray);

/** Every option of the session functions; a name means the same in all of them. Those without a check have one of their own. */
const optionChecks = {
  ...{ env: objectCheck, home: textCheck, platform: textCheck, roots: undefined, fs: objectCheck, clock: objectCheck },
  ...{ dryRun: booleanCheck, inPlace: booleanCheck, live: booleanCheck, force: booleanCheck, all: booleanCheck },
  ...{ agents: booleanCheck, thinking: booleanCheck, results: booleanCheck, idsOnly: booleanCheck },
  ...{ now: functionCheck, uuid: functionCheck, startOf: functionCheck, redact: functionCheck },
  ...{ root: textCheck, version: textCheck, entrypoint: textCheck, at: textCheck, id: textCheck, leaf: textCheck },
  ...{ project: textCheck, text: textCheck, cwd: textCheck, into: objectCheck, checks: list, signal: abortSignalCheck },
  ...{ regex: booleanCheck, matchCase: booleanCheck, progress: functionCheck, price: functionCheck },
  ...{ gitBranch: textCheck, limit: undefined, around: undefined, last: undefined },
  ...{ attempts: numberCheck, pauseMs: numberCheck, missing: oneOfCheck(["empty"]) },
  ...{ from: undefined, pollMs: undefined, sinceMs: undefined },
} satisfies Readonly<Record<string, OptionCheck | undefined>>;

/** Throws for an unknown option or a wrong value: with a misspelled `dryRun` files would be changed. */
export function checkOptions(of: string, given: object, names: readonly (keyof typeof optionChecks)[]): void {
  const table: Readonly<Record<string, OptionCheck | undefined>> = optionChecks;
  checkNamed(of, given, Object.fromEntries(names.map((name) => [name, table[name]])), "sessions/option");
}

/** The options that say where the user's folders are. */
export const homeOptions = ["env", "home", "platform"] as const;

/**
 * Checks of arguments. JavaScript callers have no types, and an invalid value would silently give a wrong result. All checks throw
 * `sessions/option`; some return the value.
 */
export function checkCount<T>(name: string, value: T): T {
  const isCount = value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && Number(value) >= 0);
  return checked(name, value, isCount, "a whole number from 0 on");
}

export function checkTurn(value: number): number {
  const isTurn = Number.isSafeInteger(value) && value !== 0;
  return checked("turn", value, isTurn, "a whole number: 1 is the first turn, -1 the last");
}

export function checkFunction<T>(name: string, value: T): T {
  return checked(name, value, typeof value === "function", "a function");
}

export function checkText<T>(name: string, value: T): T {
  return checked(name, value, typeof value === "string", "a text");
}

export function checkSignal(value: unknown): void {
  checked("signal", value, value === undefined || abortSignalCheck(value) === undefined, "an AbortSignal");
}

export function checkPattern<T>(name: string, value: T): T {
  return checked(name, value, typeof value === "string" || value instanceof RegExp, "a text or a regular expression");
}

function checked<T>(name: string, value: T, isValid: boolean, expected: string): T {
  if (!isValid) throw optionProblem(name, value, expected);
  return value;
}

export function checkWord(name: string, value: unknown, words: readonly string[]): void {
  if (!words.includes(value as string)) throw optionProblem(name, value, words.map((word) => `"${word}"`).join(" or "));
}

export function checkMs(name: string, value: unknown): void {
  if (value !== undefined && (typeof value !== "number" || Number.isNaN(value)))
    throw optionProblem(name, value, "a number of milliseconds");
}

export function checkObject(name: string, value: unknown): void {
  checked(name, value, isObject(value), "an object");
}

/** A record of a transcript is an object with a `type`. */
export function checkRecord(draft: unknown): void {
  checkObject("record", draft);
  const { type } = draft as { readonly type?: unknown };
  if (typeof type !== "string" || type === "") throw optionProblem("type of a record", type, 'a text such as "user"');
}

/** The options of a store. */
export function checkStoreOptions(options: { readonly version: string; readonly root?: string }): void {
  checkObject("options", options);
  checkText("version", options.version);
  if (options.root !== undefined) checkText("root", options.root);
  checkOptions("openStore", options, [...homeOptions, "root", "version", "entrypoint", "fs", "now", "uuid"]);
}

/** The options of a method of a store. */
export function checkSessionOptions(of: "open" | "resume" | "fork", options: object): void {
  checkObject("options", options);
  const { cwd, id, gitBranch, at } = options as Readonly<Record<string, unknown>>;
  if (typeof cwd !== "string" || cwd === "") throw optionProblem("cwd", cwd, "the path of a folder");
  for (const [name, value] of Object.entries({ id, gitBranch, at })) if (value !== undefined) checkText(name, value);
  const more = { open: ["id"], resume: [], fork: ["id", "at"] } as const;
  checkOptions(of, options, ["cwd", "gitBranch", ...more[of]]);
}

const appendChecks = { durable: booleanCheck, uuid: textCheck, parent: undefined } as const;

/** The options of `append`; its `uuid` is the id itself. */
export function checkAppendOptions(options: object): void {
  checkNamed("append", options, appendChecks, "sessions/option");
}

/** The result of `findRoots`. */
export function checkRoots(value: unknown): void {
  if (!Array.isArray(value) || !value.every(isRoot))
    throw optionProblem("roots", value, "a list of roots, as findRoots gives it");
}

/** The place of a session. An id alone is not enough to find its file. */
export function checkSessionPlace(value: unknown): void {
  const strings = [fieldOf(value, "id"), fieldOf(value, "folder"), fieldOf(value, "file")];
  if (!isRoot(fieldOf(value, "root")) || strings.some((part) => typeof part !== "string"))
    throw optionProblem("place", value, "the place of a session, such as place of an opened session");
}

function isRoot(value: unknown): boolean {
  return typeof fieldOf(value, "path") === "string";
}

/** A window has exactly one of `from`, `around` and `last`. */
export function checkWindow(request: unknown): void {
  const { from, around, last, limit } = isObject(request) ? request : {};
  if ([from, around, last].filter((value) => value !== undefined).length !== 1)
    throw optionProblem("window", request, "one of { from }, { around } and { last }");
  if (isObject(request)) checkOptions("window", request, ["from", "around", "last", "limit"]);
  if (last !== undefined) checkCount("last", last);
  if (limit !== undefined) checkCount("limit", limit);
  if (around !== undefined) checkText("around", around);
  if (typeof from === "number") checkCount("from", from);
  else if (from !== undefined) checkText("from", from);
}

export function optionProblem(name: string, value: unknown, expected: string): Problem {
  return new Problem("sessions/option", plainLine(`${name} is ${expected}, not ${shown(value)}.`), {
    about: { option: name },
  });
}

function shown(value: unknown): string {
  if (typeof value !== "object" || value === null) return typeof value === "string" ? `"${value}"` : String(value);
  try {
    return (JSON.stringify(value) ?? "an object").slice(0, 80);
  } catch {
    return "an object"; // it has a cycle
  }
}
