import { isObject } from "../../protocol/internal.ts";

/**
 * JSON Schema, as far as tool inputs use it: type, properties, required, additionalProperties, items, enum, const, default, minimum,
 * maximum, minLength, maxLength, minItems, maxItems, anyOf, oneOf. Other keywords are ignored: a server checks its own.
 */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Schemas of plain values. */
export const plain = {
  string: { type: "string" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  strings: { type: "array", items: { type: "string" } },
} as const;

type Properties = Readonly<Record<string, JsonSchema>>;

export function objectSchema<const Required extends Properties, const Optional extends Properties = NoProperties>(
  required: Required,
  optional?: Optional,
) {
  const properties = { ...required, ...optional } as Required & Optional;
  return { type: "object", properties, required: Object.keys(required) as (keyof Required)[] } as const;
}

/** The schema of an input: a parameter that it does not have is an error. */
export function inputSchema<const Required extends Properties, const Optional extends Properties = NoProperties>(
  required: Required,
  optional?: Optional,
) {
  return { ...objectSchema(required, optional), additionalProperties: false } as const;
}

type NoProperties = Readonly<Record<never, never>>;

/** The type of the values that fit a schema, as far as our own tools use JSON Schema. */
export type SchemaValue<Schema> = Schema extends { readonly enum: readonly (infer Value)[] }
  ? Value
  : Schema extends { readonly type: "array"; readonly items: infer Item }
    ? readonly SchemaValue<Item>[]
    : Schema extends { readonly properties: infer Parts; readonly required: readonly (infer Needed)[] }
      ? { readonly [Name in keyof Parts & Needed]: SchemaValue<Parts[Name]> } & {
          readonly [Name in Exclude<keyof Parts, Needed>]?: SchemaValue<Parts[Name]>;
        }
      : Schema extends { readonly type: keyof ValueTypes }
        ? ValueTypes[Schema["type"]]
        : unknown;

interface ValueTypes {
  readonly string: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
  readonly object: Readonly<Record<string, unknown>>;
}

const maxDepth = 64;

/** One sentence per fault, with its path, such as `a.b[0]`. Contract: never throws, whatever the schema and the value. */
export function schemaFaults(schema: JsonSchema, value: unknown, path = "", depth = 0): string[] {
  if (depth > maxDepth) return [wrongValue(path, "a value that is nested less deeply", typeOf(value))];
  // Each choice is tried once: choices within choices would take twice the time at every level.
  const choices = schema["anyOf"] ?? schema["oneOf"];
  const [first, ...others]: JsonSchema[] = Array.isArray(choices) ? choices.filter(isObject) : [];
  const faults = first === undefined ? [] : schemaFaults(first, value, path, depth + 1);
  if (faults.length > 0 && !others.some((choice) => schemaFaults(choice, value, path, depth + 1).length === 0)) {
    return faults;
  }
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => hasType(value, type))) {
    const expected = types.join(" or ");
    return [`The parameter \`${path}\` type is expected as \`${expected}\` but provided as \`${typeOf(value)}\``];
  }
  return [...valueFaults(schema, value, path), ...partFaults(schema, value, path, depth)];
}

/** The value with the schema's defaults filled in, with its keys in the schema's order, then unknown keys. */
export function withDefaults(schema: JsonSchema, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const filled: Record<string, unknown> = {};
  for (const [key, part] of propertiesOf(schema)) {
    if (Object.hasOwn(value, key)) setOwn(filled, key, value[key]);
    else if (part["default"] !== undefined) setOwn(filled, key, part["default"]);
  }
  for (const key of Object.keys(value)) if (!Object.hasOwn(filled, key)) setOwn(filled, key, value[key]);
  return filled;
}

function valueFaults(schema: JsonSchema, value: unknown, path: string): string[] {
  const allowed = Array.isArray(schema["enum"]) ? schema["enum"] : "const" in schema ? [schema["const"]] : undefined;
  if (allowed && !allowed.includes(value)) {
    const found = typeof value === "string" ? JSON.stringify(value.slice(0, 100)) : typeOf(value);
    return [wrongValue(path, allowed.map((one) => JSON.stringify(one)).join("|"), found)];
  }
  const [size, least, most] = boundsOf(schema, value);
  if (size === undefined) return [];
  if (typeof least === "number" && size < least) return [wrongValue(path, `>=${least}`, String(size))];
  if (typeof most === "number" && size > most) return [wrongValue(path, `<=${most}`, String(size))];
  return [];
}

function wrongValue(path: string, expected: string, found: string): string {
  return `The parameter \`${path}\` must be ${expected} but is ${found}`;
}

function boundsOf(schema: JsonSchema, value: unknown): [number | undefined, unknown, unknown] {
  if (typeof value === "number") return [value, schema["minimum"], schema["maximum"]];
  if (typeof value === "string") return [value.length, schema["minLength"], schema["maxLength"]];
  if (Array.isArray(value)) return [value.length, schema["minItems"], schema["maxItems"]];
  return [undefined, undefined, undefined];
}

function partFaults(schema: JsonSchema, value: unknown, path: string, depth: number): string[] {
  if (Array.isArray(value)) {
    const items = isObject(schema["items"]) ? schema["items"] : {};
    return value.flatMap((one, index) => schemaFaults(items, one, `${path}[${index}]`, depth + 1));
  }
  if (!isObject(value)) return [];
  const properties = new Map(propertiesOf(schema));
  const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
  const missing = required
    .filter((key) => !Object.hasOwn(value, key) || value[key] === undefined)
    .map((key) => `The required parameter \`${below(path, key)}\` is missing`);
  const rest = schema["additionalProperties"];
  const present = Object.keys(value).flatMap((key) => {
    const part = properties.get(key) ?? (isObject(rest) ? rest : undefined);
    if (part !== undefined) {
      return value[key] === undefined ? [] : schemaFaults(part, value[key], below(path, key), depth + 1);
    }
    return rest === false ? [`An unexpected parameter \`${below(path, key)}\` was provided`] : [];
  });
  return [...missing, ...present];
}

function below(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

function typesOf(schema: JsonSchema): string[] {
  const type = schema["type"];
  return Array.isArray(type) ? type.map(String) : typeof type === "string" ? [type] : [];
}

function hasType(value: unknown, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "number") return typeof value === "number" && Number.isFinite(value);
  return typeOf(value) === type;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function propertiesOf(schema: JsonSchema): [string, JsonSchema][] {
  const properties = schema["properties"];
  if (!isObject(properties)) return [];
  return Object.entries(properties).map(([key, part]) => [key, isObject(part) ? part : {}]);
}

/** A key such as `__proto__` is a key like any other. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}
