import { closestName } from "./did-you-mean.ts";
import { isObject } from "./objects.ts";
import { Problem, showValue } from "./problem.ts";

/** What is wrong with a value, in words that follow the option's name; undefined when it can be used. */
export type OptionCheck = (value: unknown) => string | undefined;

/** Refuses options of a call: every name must be known, and its value one that its check accepts. */
export function checkNamed<Name extends string>(
  of: string,
  given: object,
  table: Readonly<Record<Name, OptionCheck | undefined>>,
): void {
  if (!isObject(given)) throw badOption(`The options of ${of} are an object, not ${showValue(given)}.`);
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(table, name)) {
      const near = closestName(name, Object.keys(table));
      throw badOption(`${of} has no option ${showValue(name)}.${near ? ` Did you mean ${near}?` : ""}`, name);
    }
    const wrong = value === undefined ? undefined : table[name as Name]?.(value);
    if (wrong !== undefined)
      throw badOption(`The option ${name} of ${of} must be ${wrong}, not ${showValue(value)}.`, name);
  }
}

/** A check by a test, such as `checkOf("a model", isModel)`. */
export function checkOf(what: string, fits: (value: unknown) => boolean): OptionCheck {
  return (value) => (fits(value) ? undefined : what);
}

export const textCheck: OptionCheck = (value) => (typeof value === "string" ? undefined : "a text");
export const booleanCheck: OptionCheck = (value) => (typeof value === "boolean" ? undefined : "true or false");
export const functionCheck: OptionCheck = (value) => (typeof value === "function" ? undefined : "a function");
export const objectCheck: OptionCheck = (value) => (isObject(value) ? undefined : "an object");
export const abortSignalCheck: OptionCheck = (value) => (value instanceof AbortSignal ? undefined : "an AbortSignal");
export const textListCheck: OptionCheck = (value) =>
  Array.isArray(value) && value.every((item) => typeof item === "string") ? undefined : "a list of texts";
export const wholeNumberCheck: OptionCheck = (value) =>
  Number.isInteger(value) && Number(value) > 0 ? undefined : "a whole number above 0";
export const positiveNumberCheck: OptionCheck = (value) =>
  Number.isFinite(value) && Number(value) > 0 ? undefined : "a number above 0";

export function badOption(message: string, option?: string): Problem {
  return new Problem("host/bad-option", message, { about: { option } });
}
