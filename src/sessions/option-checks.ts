import { resolve } from "node:path";
import {
  checkAll,
  checkNamed,
  checkOf,
  fieldOf,
  isMisspelling,
  mustBe,
  type OptionCheck,
  oneOfCheck,
  Problem,
  plainLine,
  showValue,
} from "../protocol/internal.ts";
import { conversationTypes, type RecordDraft } from "./formats/claude-code/write-record.ts";

export const countCheck: OptionCheck = checkOf("a whole number from 0 on", isCount);
export const turnCheck: OptionCheck = checkOf(
  "a whole number: 1 is the first turn, -1 the last",
  (value) => Number.isSafeInteger(value) && value !== 0,
);
export const patternCheck: OptionCheck = checkOf(
  "a string or a regular expression",
  (value) => typeof value === "string" || value instanceof RegExp,
);
const folderCheck = checkOf("the path of a folder", isFilledText);
const listCheck = checkOf("a list", Array.isArray);
const msCheck = checkOf("a number of milliseconds", (value) => typeof value === "number" && !Number.isNaN(value));

function isFilledText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isCount(value: unknown): boolean {
  return value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && Number(value) >= 0);
}

/** Every option of the session functions; a name means the same in all of them. Those without a check have one of their own. */
const optionChecks = {
  ...checkAll(mustBe.object, "env", "fs", "clock", "into"),
  ...checkAll(mustBe.text, "home", "platform", "version", "entrypoint", "at", "id", "leaf", "project", "text", "cwd"),
  ...checkAll(mustBe.text, "gitBranch"),
  ...checkAll(mustBe.boolean, "dryRun", "inPlace", "live", "force", "all", "agents", "thinking", "results", "idsOnly"),
  ...checkAll(mustBe.boolean, "regex", "matchCase"),
  ...checkAll(mustBe.function, "now", "uuid", "startOf", "redact", "progress", "price"),
  ...checkAll(mustBe.number, "attempts", "pauseMs"),
  ...checkAll(msCheck, "sinceMs", "pollMs"),
  ...checkAll(undefined, "roots", "from"),
  ...{ root: folderCheck, checks: listCheck, limit: countCheck, signal: mustBe.abortSignal },
  missing: oneOfCheck(["empty"]),
} satisfies Readonly<Record<string, OptionCheck | undefined>>;

type OptionName = keyof typeof optionChecks;

/** Throws for an unknown option, a wrong value or a missing one: with a misspelled `dryRun` files would be changed. */
export function checkCallOptions(
  of: string,
  given: object,
  names: readonly OptionName[],
  needed: readonly OptionName[] = [],
): void {
  const table: Readonly<Record<string, OptionCheck | undefined>> = optionChecks;
  const chosen = Object.fromEntries(names.map((name) => [name, table[name]]));
  checkNamed<string>(of, given, chosen, "sessions/option", needed);
}

/** The options that say where the user's folders are. */
export const homeOptions = ["env", "home", "platform"] as const;

/**
 * Returns an argument that fits its check, and throws `sessions/option` for any other. JavaScript callers have no types, and an invalid
 * value would silently give a wrong result.
 */
export function checkArgument<T>(name: string, value: T, check: OptionCheck): T {
  const expected = check(value);
  if (expected !== undefined) throw optionProblem(name, value, expected);
  return value;
}

export function checkSignal(value: unknown): void {
  if (value !== undefined) checkArgument("signal", value, mustBe.abortSignal);
}

const typeCheck = checkOf('a string such as "user"', isFilledText);

/** Throws for a record that no reader could use. Any other type is allowed, because Claude Code adds types. */
export function checkRecord(draft: RecordDraft): void {
  const { type, message, usage } = checkArgument("record", draft, mustBe.object);
  checkArgument("type of a record", type, typeCheck);
  if (type === "user" || type === "assistant") {
    const content = fieldOf(message, "content");
    if (typeof content !== "string" && !Array.isArray(content))
      throw badRecord(`A record of type "${type}" needs message: { content }, where content is a string or a list.`);
    const role = fieldOf(message, "role") ?? type;
    if (role !== type) throw badRecord(`A record of type "${type}" cannot have the role ${showValue(role)}.`);
    if (usage !== undefined) throw badRecord("usage of a record belongs in its message: message.usage.");
  }
  const meant = conversationTypes.find((known) => type !== known && isMisspelling(type, known));
  if (meant !== undefined) throw badRecord(`Unknown type of record ${showValue(type)}. Did you mean "${meant}"?`);
}

function badRecord(message: string): Problem {
  return new Problem("sessions/option", plainLine(message), { about: { option: "record" } });
}

/** The options of a method of a store, with an absolute `cwd`. */
export function checkSessionOptions<Options extends { readonly cwd: string }>(
  of: "open" | "resume" | "fork",
  options: Options,
): Options {
  const more = { open: ["id"], resume: [], fork: ["id", "at"] } as const;
  checkCallOptions(`store.${of}`, options, ["cwd", "gitBranch", ...more[of]]);
  checkArgument("cwd", options.cwd, folderCheck);
  return { ...options, cwd: resolve(options.cwd) };
}

const appendChecks = {
  durable: mustBe.boolean,
  uuid: checkOf("a string that is not empty", isFilledText),
  parent: checkOf(
    "a string, such as the .uuid of what append returned, or null",
    (parent) => parent === null || typeof parent === "string",
  ),
} as const;

/** The options of `append`; its `uuid` is the id itself. */
export function checkAppendOptions(options: object): void {
  checkNamed("append", options, appendChecks, "sessions/option");
}

const rootsCheck = checkOf(
  "a list of roots, such as [session.place.root]",
  (value) => Array.isArray(value) && value.every(isRoot),
);

/** The roots of sessions that a caller passes. */
export function checkRoots(value: unknown): void {
  checkArgument("roots", value, rootsCheck);
}

const placeCheck = checkOf(
  "the place of a session, such as place of an opened session",
  (value) =>
    isRoot(fieldOf(value, "root")) && ["id", "folder", "file"].every((key) => typeof fieldOf(value, key) === "string"),
);

/** The place of a session. An id alone is not enough to find its file. */
export function checkSessionPlace(value: unknown): void {
  checkArgument("place", value, placeCheck);
}

function isRoot(value: unknown): boolean {
  return typeof fieldOf(value, "path") === "string";
}

const windowChecks = {
  from: checkOf("a whole number from 0 on or a uuid", (value) => typeof value === "string" || isCount(value)),
  around: mustBe.text,
  last: countCheck,
  limit: countCheck,
} as const;

/** A window has exactly one of `from`, `around` and `last`. */
export function checkWindow(request: object): void {
  checkNamed("window", request, windowChecks, "sessions/option");
  if (["from", "around", "last"].filter((name) => fieldOf(request, name) !== undefined).length !== 1)
    throw optionProblem("window", request, "one of { from }, { around } and { last }");
}

export function optionProblem(name: string, value: unknown, expected: string): Problem {
  const message = plainLine(`${name} must be ${expected}, not ${showValue(value)}.`);
  return new Problem("sessions/option", message, { about: { option: name } });
}
