import { type Field, type Fields, isObject, showValue } from "../../protocol/internal.ts";

/** What is wrong with a value, and where inside it. */
export interface Fault {
  /** Such as `timeout` or `headers.Accept`; empty when it is the value as a whole. */
  readonly field: string;
  readonly why: string;
}

/**
 * Compares a value from a file with its field and gives the first fault.
 *
 * The validators of `schemas/` say the same (a test holds them together) but cost more to load than an idle engine may.
 */
export function faultOf(value: unknown, field: Field, at = ""): Fault | undefined {
  if (value === undefined) return field.optional ? undefined : { field: at, why: "is missing" };
  if (value === null && field.nullable) return undefined;
  switch (field.is) {
    case "text":
      if (typeof value !== "string") return mistyped(value, "a text", at);
      if (field.of === undefined || field.open || field.of.includes(value)) return undefined;
      return { field: at, why: `must be ${oneOf(field.of)}, not ${showValue(value)}` };
    case "number":
      if (typeof value !== "number") return mistyped(value, "a number", at);
      if (field.above === undefined || value > field.above) return undefined;
      return { field: at, why: `must be above ${field.above}, not ${showValue(value)}` };
    case "flag":
      return typeof value === "boolean" ? undefined : mistyped(value, "true or false", at);
    case "list":
      if (!Array.isArray(value)) return mistyped(value, "a list", at);
      return firstFault(value.map((item, index) => () => faultOf(item, field.of, below(at, index))));
    case "object":
      return isObject(value) ? objectFault(value, field, at) : mistyped(value, "an object", at);
    case "either":
      return field.of.some((option) => faultOf(value, option) === undefined)
        ? undefined
        : { field: at, why: `cannot be ${showValue(value)}` };
    case "anything":
      return undefined;
  }
}

/** The first fault among the named fields of an object. */
export function fieldsFault(value: Readonly<Record<string, unknown>>, fields: Fields, at = ""): Fault | undefined {
  return firstFault(
    Object.entries(fields).map(
      ([name, field]) =>
        () =>
          faultOf(ownValue(value, name), field, below(at, name)),
    ),
  );
}

/** Never what an object inherits: `toString` is no setting. */
export function ownValue(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function objectFault(
  value: Readonly<Record<string, unknown>>,
  field: Extract<Field, { is: "object" }>,
  at: string,
): Fault | undefined {
  const named = field.fields && fieldsFault(value, field.fields, at);
  if (named !== undefined || field.values === undefined) return named;
  const { values, fields = {} } = field;
  const others = Object.keys(value).filter((name) => !Object.hasOwn(fields, name));
  return firstFault(others.map((name) => () => faultOf(value[name], values, below(at, name))));
}

function firstFault(checks: readonly (() => Fault | undefined)[]): Fault | undefined {
  for (const check of checks) {
    const fault = check();
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function mistyped(value: unknown, wanted: string, at: string): Fault {
  return { field: at, why: `must be ${wanted}, not ${showValue(value)}` };
}

function oneOf(words: readonly string[]): string {
  return words.map((word) => JSON.stringify(word)).join(" or ");
}

function below(at: string, name: string | number): string {
  return at === "" ? String(name) : `${at}.${name}`;
}

/** A key of a file that is not known, and the known key that it looks like. */
export interface Misspelled {
  readonly key: string;
  readonly meant: string;
}

/**
 * The keys of an object that are not known but look like a known one: other case, `_` or `-`, or one or two letters off. Other unknown
 * keys may be anything.
 */
export function misspelledKeys(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
): readonly Misspelled[] {
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  return unknown.slice(0, mostCompared).flatMap((key): Misspelled[] => {
    const meant = meantBy(key, known, value);
    return meant === undefined ? [] : [{ key, meant }];
  });
}

/** More unknown keys than people write: a hostile file may not make the start slow. */
const mostCompared = 1_000;

/** The key of an object that looks like the one that is missing. */
export function lookalike(value: unknown, missing: string): string | undefined {
  if (!isObject(value)) return undefined;
  return Object.keys(value)
    .slice(0, mostCompared)
    .find((key) => meantBy(key, [missing], value) !== undefined);
}

function meantBy(key: string, known: readonly string[], value: Readonly<Record<string, unknown>>): string | undefined {
  // People turn a key into a note in this way: `_timeout`, `//timeout`, `$comment`.
  if (/^[_/#$]/.test(key) || key.length > longest) return undefined;
  const typed = letters(key);
  for (const edits of [0, 1, 2]) {
    const meant = known.find((name) => {
      // `comment` beside `command` is a word of its own.
      const isTaken = edits === 2 && Object.hasOwn(value, name);
      return edits <= mostEdits(name) && !isTaken && isWithin(typed, lettersOfName(name), edits);
    });
    if (meant !== undefined) return meant;
  }
  return undefined;
}

/** Longer keys are like none that is known, and files may hold anything. */
const longest = 60;

/** Short words are often one letter apart: `id` is not a misspelled `if`. */
function mostEdits(name: string): number {
  return Math.min(2, Math.floor(name.length / 3));
}

function letters(key: string): string {
  return key.toLowerCase().replace(/[\s_.-]+/g, "");
}

/** The names come from our tables, so there are few. */
const lettersOf = new Map<string, string>();

function lettersOfName(name: string): string {
  const found = lettersOf.get(name) ?? letters(name);
  lettersOf.set(name, found);
  return found;
}

/** Whether so many letters that are changed, added, left out or exchanged with their neighbor make one word of the other. */
function isWithin(a: string, b: string, edits: number): boolean {
  if (Math.abs(a.length - b.length) > edits) return false;
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  if (same === a.length && same === b.length) return true;
  if (edits === 0) return false;
  const [x, y] = [a.slice(same), b.slice(same)];
  const isExchanged = x.length > 1 && x[0] === y[1] && x[1] === y[0];
  return (
    isWithin(x.slice(1), y.slice(1), edits - 1) ||
    isWithin(x.slice(1), y, edits - 1) ||
    isWithin(x, y.slice(1), edits - 1) ||
    (isExchanged && isWithin(x.slice(2), y.slice(2), edits - 1))
  );
}
