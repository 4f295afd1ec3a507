import { closestName } from "./did-you-mean.ts";
import { isObject } from "./objects.ts";
import type { ProblemCode } from "./problem-codes.ts";
import type { Warning } from "./warning-codes.ts";

/**
 * A wrong call: the one error class Hookline throws. What a hook or a file does wrong is a value, never a throw.
 *
 * `code` is stable and has the form `area/name`; `about` holds the values that the message was built from.
 */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: ProblemCode;
  readonly about: Readonly<Record<string, unknown>>;

  constructor(code: ProblemCode, message: string, options: { about?: Record<string, unknown>; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.about = options.about ?? {};
  }

  /** By name: some entry points are bundled into one file each, so a program may hold several copies of this class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "Problem";
  }
}

/**
 * What was thrown, in words and at a bounded length.
 * Contract: never throws, whatever the value does when it is read.
 */
export function messageOf(thrown: unknown): string {
  try {
    const text = thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
    return text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;
  } catch {
    return "something that cannot be printed"; // a getter or toString of its own that throws
  }
}

const maxChars = 2_000;

/** Loads an optional package, or reports which one to install. `load` is the `import()` itself, so that its types are the package's. */
export async function loadPackage<Package>(
  name: string,
  needed: string,
  load: () => Promise<Package>,
): Promise<Package> {
  try {
    return await load();
  } catch (cause) {
    throw missingPackageProblem(name, needed, cause);
  }
}

/**
 * What to say when an optional package could not be loaded: a `Problem` that names the package to install, or the error itself when the
 * package is there and something else went wrong.
 */
function missingPackageProblem(name: string, needed: string, cause: unknown): unknown {
  const { code, message } = Object(cause) as { code?: unknown; message?: unknown };
  const named = String(message).includes(`'${name}'`) || String(message).includes(`"${name}"`);
  if (!named || (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND")) return cause;
  return new Problem(
    "package/missing",
    `${needed} needs the package ${name}, which is not installed. Install it with: npm install ${name}`,
    { about: { package: name }, cause },
  );
}

/** A value as a message shows it, cut to a few words. Contract: never throws, whatever a program hands over. */
export function showValue(value: unknown): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") return `a ${typeof value}`;
  const text = written(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function written(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch (error) {
    // A circle, a BigInt inside, or a getter that throws.
    return `a value that cannot be written as JSON (${messageOf(error).split("\n")[0]})`;
  }
}

/**
 * Calls code of the host without waiting for it. Contract: what it throws, at once or as a rejected promise, goes to `onThrow`
 * and affects nothing else.
 */
export function callHost(call: () => unknown, onThrow: (error: unknown) => void): void {
  try {
    const result = call();
    if (result instanceof Promise) result.catch(onThrow);
  } catch (error) {
    onThrow(error);
  }
}

/** An observer whose errors affect nothing. The first one is reported; later events still reach the observer. */
export function guardedObserver<Event extends { readonly kind: string }>(
  observe: ((event: Event) => void) | undefined,
  report: (warning: Warning & { readonly code: "observer-threw" }) => void,
): (event: Event) => void {
  let threw = false;
  return (event) =>
    callHost(
      () => observe?.(event),
      (error) => {
        if (threw) return;
        threw = true;
        const message = `The observer of this run threw at "${event.kind}": ${messageOf(error)}`;
        report({ code: "observer-threw", message });
      },
    );
}

/** What an option must be, when its value is something else; undefined when the value can be used. */
export type OptionCheck = (value: unknown) => string | undefined;

/** Refuses options of a call: every name must be in the table, and its value one that its check accepts. */
export function checkNamed<Name extends string>(
  of: string,
  given: object,
  table: Readonly<Record<Name, OptionCheck | undefined>>,
  code: ProblemCode = "host/bad-option",
): void {
  if (!isObject(given)) throw new Problem(code, `The options of ${of} are an object, not ${showValue(given)}.`);
  for (const [name, value] of Object.entries(given)) {
    const about = { option: name };
    if (!Object.hasOwn(table, name)) {
      const near = closestName(name, Object.keys(table));
      const hint = near ? ` Did you mean ${near}?` : "";
      throw new Problem(code, `${of} has no option ${showValue(name)}.${hint}`, { about });
    }
    const expected = value === undefined ? undefined : table[name as Name]?.(value);
    if (expected === undefined) continue;
    throw new Problem(code, `The option ${name} of ${of} must be ${expected}, not ${showValue(value)}.`, { about });
  }
}

/** A check by a test, such as `checkOf("a model", isModel)`. */
export function checkOf(what: string, fits: (value: unknown) => boolean): OptionCheck {
  return (value) => (fits(value) ? undefined : what);
}

export const textCheck: OptionCheck = checkOf("a string", isText);
export const booleanCheck: OptionCheck = checkOf("true or false", (value) => typeof value === "boolean");
export const functionCheck: OptionCheck = checkOf("a function", (value) => typeof value === "function");
export const objectCheck: OptionCheck = checkOf("an object", isObject);
export const abortSignalCheck: OptionCheck = checkOf("an AbortSignal", (value) => value instanceof AbortSignal);
export const textListCheck: OptionCheck = checkOf(
  "a list of texts",
  (value) => Array.isArray(value) && value.every(isText),
);
export const wholeNumberCheck: OptionCheck = checkOf(
  "a whole number above 0",
  (value) => Number.isInteger(value) && Number(value) > 0,
);
export const positiveNumberCheck: OptionCheck = checkOf(
  "a number above 0",
  (value) => Number.isFinite(value) && Number(value) > 0,
);

function isText(value: unknown): boolean {
  return typeof value === "string";
}

export function badOption(message: string, option?: string): Problem {
  return new Problem("host/bad-option", message, { about: { option } });
}
