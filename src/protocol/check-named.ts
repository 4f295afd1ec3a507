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

export const checkOf =
  (what: string, fits: (value: unknown) => boolean): OptionCheck =>
  (value) =>
    fits(value) ? undefined : what;
export const textCheck: OptionCheck = checkOf("a text", (value) => typeof value === "string");
export const booleanCheck: OptionCheck = checkOf("true or false", (value) => typeof value === "boolean");
export const functionCheck: OptionCheck = checkOf("a function", (value) => typeof value === "function");
export const objectCheck: OptionCheck = checkOf("an object", isObject);
export const abortSignalCheck: OptionCheck = checkOf("an AbortSignal", (value) => value instanceof AbortSignal);
export const textListCheck: OptionCheck = checkOf(
  "a list of texts",
  (value) => Array.isArray(value) && value.every((one) => typeof one === "string"),
);
export const wholeNumberCheck: OptionCheck = checkOf(
  "a whole number above 0",
  (value) => Number.isInteger(value) && Number(value) > 0,
);
export const positiveNumberCheck: OptionCheck = checkOf(
  "a number above 0",
  (value) => Number.isFinite(value) && Number(value) > 0,
);

export function badOption(message: string, option?: string): Problem {
  return new Problem("host/bad-option", message, { about: { option } });
}
