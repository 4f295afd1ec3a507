import { isObject } from "../../../protocol/index.ts";
import type { Check, Field, FieldTable } from "./known-fields.ts";

/** Copies the known fields of `object` to `into` under our names; what is left comes back as `extra`. */
export function take(
  object: Readonly<Record<string, unknown>>,
  fields: FieldTable,
  into: Record<string, unknown>,
  done: ReadonlySet<string>,
): Record<string, unknown> | undefined {
  let extra: Record<string, unknown> | undefined;
  // Objects come from JSON.parse: they have no inherited keys, and `for in` makes no list of them.
  for (const key in object) {
    if (done.has(key)) continue;
    const field = fields.get(key);
    const value = object[key];
    if (field !== undefined && passes(value, field.check))
      into[field.name] = field.check === "text" ? shared(field, value as string) : value;
    else extra = keep(extra, key, value);
  }
  return extra;
}

/** Neighbours name the same session, folder and prompt: one text serves them all, and a long session takes a fifth less memory. */
function shared(field: Field, value: string): string {
  if (value === field.last) return field.last;
  field.last = value;
  return value;
}

export function passes(value: unknown, check: Check): boolean {
  switch (check) {
    case "text":
      return typeof value === "string";
    case "number":
      return typeof value === "number";
    case "flag":
      return typeof value === "boolean";
    case "list":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "any":
      return true;
  }
}

/** Adds a field under any name, `__proto__` included: names come from files. */
export function keep(rest: Record<string, unknown> | undefined, key: string, value: unknown): Record<string, unknown> {
  const into = rest ?? {};
  if (key !== "__proto__") into[key] = value;
  else Object.defineProperty(into, key, { value, enumerable: true, configurable: true, writable: true });
  return into;
}
