import { closestName } from "./did-you-mean.ts";
import { each, isObject, isStringList } from "./objects.ts";
import { Problem, showValue } from "./problem.ts";
import type { ProblemCode } from "./problem-codes.ts";

/** What an option must be, when its value is something else; undefined when the value can be used. */
export type OptionCheck = (value: unknown) => string | undefined;

/**
 * Refuses options of a call: every name must be in the table, its value one that its check accepts, and the needed ones given. `advice`
 * follows the message about a name that is not a misspelling.
 */
export function checkNamed<Name extends string>(
  of: string,
  given: object,
  table: Readonly<Record<Name, OptionCheck | undefined>>,
  code: ProblemCode = "host/bad-option",
  needed: readonly Name[] = [],
  advice = "",
): void {
  const type = Object.prototype.toString.call(given);
  // The entries of a `Map` are not fields: they would be ignored.
  if (!isObject(given) || (type !== "[object Object]" && Object.keys(given).length === 0)) {
    const found = isObject(given) ? type : showValue(given);
    throw new Problem(code, `The options of ${of} must be an object, not ${found}.`);
  }
  for (const [name, value] of Object.entries(given)) {
    const about = { option: name };
    if (!Object.hasOwn(table, name)) {
      const near = closestName(name, Object.keys(table));
      const hint = near ? `Did you mean ${near}?` : advice;
      throw new Problem(code, `${of} has no option ${showValue(name)}. ${hint}`.trimEnd(), { about });
    }
    const expected = value === undefined ? undefined : table[name as Name]?.(value);
    if (expected === undefined) continue;
    throw new Problem(code, `The option ${name} of ${of} must be ${expected}, not ${showValue(value)}.`, { about });
  }
  const missing = needed.find((name) => given[name] === undefined);
  if (missing !== undefined)
    throw new Problem(code, `${of} needs the option ${missing}.`, { about: { option: missing } });
}

/** A check by a test, such as `checkOf("a model", isModel)`. */
export function checkOf(what: string, fits: (value: unknown) => boolean): OptionCheck {
  return (value) => (fits(value) ? undefined : what);
}

/** A check for one of a few values. */
export function oneOfCheck(values: Iterable<unknown>): OptionCheck {
  const known = new Set(values);
  return checkOf(`one of ${[...known].map(showValue).join(", ")}`, (value) => known.has(value));
}

/** The usual checks: `cwd: mustBe.text`. */
export const mustBe = {
  text: checkOf("a string", (value) => typeof value === "string"),
  textList: checkOf("a list of texts", isStringList),
  boolean: checkOf("true or false", (value) => typeof value === "boolean"),
  function: checkOf("a function", (value) => typeof value === "function"),
  object: checkOf("an object", isObject),
  abortSignal: checkOf("an AbortSignal", (value) => value instanceof AbortSignal),
  number: checkOf("a number", (value) => Number.isFinite(value)),
  positiveNumber: checkOf("a number above 0", (value) => Number.isFinite(value) && Number(value) > 0),
  wholeNumber: checkOf("a whole number above 0", (value) => Number.isInteger(value) && Number(value) > 0),
} satisfies Readonly<Record<string, OptionCheck>>;

export function badOption(message: string, option?: string): Problem {
  return new Problem("host/bad-option", message, { about: { option } });
}

/** The same check for several options. */
export function checkAll<Name extends string>(
  check: OptionCheck | undefined,
  ...names: readonly Name[]
): Readonly<Record<Name, OptionCheck | undefined>> {
  return each(check, ...names);
}
