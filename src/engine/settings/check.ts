import { type Field, type Fields, isObject } from "../../protocol/index.ts";
import { shown } from "../shown.ts";

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
      return { field: at, why: `must be ${oneOf(field.of)}, not ${shown(value)}` };
    case "number":
      if (typeof value !== "number") return mistyped(value, "a number", at);
      if (field.above === undefined || value > field.above) return undefined;
      return { field: at, why: `must be above ${field.above}, not ${shown(value)}` };
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
        : { field: at, why: `cannot be ${shown(value)}` };
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
  return { field: at, why: `must be ${wanted}, not ${shown(value)}` };
}

function oneOf(words: readonly string[]): string {
  return words.map((word) => JSON.stringify(word)).join(" or ");
}

function below(at: string, name: string | number): string {
  return at === "" ? String(name) : `${at}.${name}`;
}
