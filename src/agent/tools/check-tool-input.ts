import { isObject, type ToolInput } from "../../protocol/internal.ts";
import type { Tool, ToolContext } from "./tool.ts";

export type CheckedInput =
  | { readonly ok: true; readonly input: ToolInput }
  /** `message` is the whole tool result, an error, for the model. */
  | { readonly ok: false; readonly message: string };

/** Before any hook: an input that is not the tool's own goes straight back to the model. Defaults are filled in. */
export async function checkToolInput(
  tool: Pick<Tool, "name" | "inputSchema" | "expand" | "refuse">,
  input: unknown,
  context: ToolContext,
): Promise<CheckedInput> {
  const faults = schemaFaults({ type: "object", ...tool.inputSchema }, input);
  if (faults.length > 0)
    return { ok: false, message: asToolUseError(`InputValidationError: ${issues(tool.name, faults)}`) };
  const whole = withDefaults(tool.inputSchema, input as Record<string, unknown>);
  const filled = tool.expand?.(whole, context) ?? whole;
  const refused = await tool.refuse?.(filled, context);
  return refused === undefined ? { ok: true, input: filled } : { ok: false, message: asToolUseError(refused) };
}

/** Whether a response that a hook gave can stand for the tool's own. */
export function fitsResponse(tool: Pick<Tool, "responseSchema">, response: unknown): boolean {
  const schema: JsonSchema = tool.responseSchema ?? {};
  return schemaFaults(schema, response).length === 0;
}

/** The whole tool result for a name that no tool has. */
export function noSuchTool(name: string): string {
  return asToolUseError(`Error: No such tool available: ${name}`);
}

/** What a tool's own check found, as the client words it. */
export function inputIssue(field: string, message: string): string {
  return `InputValidationError: ${JSON.stringify([{ code: "custom", path: [field], message }], null, 2)}`;
}

function asToolUseError(text: string): string {
  return `<tool_use_error>${text}</tool_use_error>`;
}

function issues(name: string, faults: readonly SchemaFault[]): string {
  const noun = faults.length === 1 ? "issue" : "issues";
  return `${name} failed due to the following ${noun}:\n${faults.map(sentenceOf).join("\n")}`;
}

function sentenceOf({ path, kind, expected, found }: SchemaFault): string {
  switch (kind) {
    case "missing":
      return `The required parameter \`${path}\` is missing`;
    case "unexpected":
      return `An unexpected parameter \`${path}\` was provided`;
    case "type":
      return `The parameter \`${path}\` type is expected as \`${expected}\` but provided as \`${found}\``;
    case "value":
      return `The parameter \`${path}\` must be ${expected} but is ${found}`;
  }
}

/**
 * JSON Schema, as far as tool inputs go: type, properties, required, additionalProperties, items, enum, const, default, minimum,
 * maximum, minLength, maxLength, minItems, maxItems, anyOf, oneOf. Other keywords say nothing here: a server checks its own.
 */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** One thing that is wrong with a value, and where: `a.b[0]`. */
export interface SchemaFault {
  readonly path: string;
  readonly kind: "missing" | "unexpected" | "type" | "value";
  readonly expected: string;
  readonly found: string;
}

const maxDepth = 64;

/** Contract: never throws, whatever the schema and the value. Nothing wrong: an empty list. */
export function schemaFaults(schema: JsonSchema, value: unknown, path = "", depth = 0): SchemaFault[] {
  if (depth > maxDepth) return [fault(path, "value", "a value that is nested less deeply", typeOf(value))];
  const choices = listOf(schema["anyOf"] ?? schema["oneOf"]);
  // Each choice is looked at once: choices within choices would take twice the time at every level.
  const [first, ...others] = choices;
  const faults = first === undefined ? [] : schemaFaults(first, value, path, depth + 1);
  if (faults.length > 0 && !others.some((choice) => schemaFaults(choice, value, path, depth + 1).length === 0)) {
    return faults;
  }
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => hasType(value, type))) {
    return [fault(path, "type", types.join(" or "), typeOf(value))];
  }
  return [...valueFaults(schema, value, path), ...partFaults(schema, value, path, depth)];
}

/** The value with the schema's defaults filled in, its keys in the schema's order, unknown ones behind. */
export function withDefaults(schema: JsonSchema, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const filled: Record<string, unknown> = {};
  for (const [key, part] of propertiesOf(schema)) {
    if (Object.hasOwn(value, key)) setOwn(filled, key, value[key]);
    else if (part["default"] !== undefined) setOwn(filled, key, part["default"]);
  }
  for (const key of Object.keys(value)) if (!Object.hasOwn(filled, key)) setOwn(filled, key, value[key]);
  return filled;
}

function valueFaults(schema: JsonSchema, value: unknown, path: string): SchemaFault[] {
  const allowed = Array.isArray(schema["enum"]) ? schema["enum"] : "const" in schema ? [schema["const"]] : undefined;
  if (allowed && !allowed.includes(value)) {
    return [fault(path, "value", allowed.map((one) => JSON.stringify(one)).join("|"), quoted(value))];
  }
  const [size, least, most] = boundsOf(schema, value);
  if (size === undefined) return [];
  if (typeof least === "number" && size < least) return [fault(path, "value", `>=${least}`, String(size))];
  if (typeof most === "number" && size > most) return [fault(path, "value", `<=${most}`, String(size))];
  return [];
}

function boundsOf(schema: JsonSchema, value: unknown): [number | undefined, unknown, unknown] {
  if (typeof value === "number") return [value, schema["minimum"], schema["maximum"]];
  if (typeof value === "string") return [value.length, schema["minLength"], schema["maxLength"]];
  if (Array.isArray(value)) return [value.length, schema["minItems"], schema["maxItems"]];
  return [undefined, undefined, undefined];
}

function partFaults(schema: JsonSchema, value: unknown, path: string, depth: number): SchemaFault[] {
  if (Array.isArray(value)) {
    const items = isSchema(schema["items"]) ? schema["items"] : {};
    return value.flatMap((one, index) => schemaFaults(items, one, `${path}[${index}]`, depth + 1));
  }
  if (!isSchema(value)) return [];
  const properties = new Map(propertiesOf(schema));
  const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
  const missing = required
    .filter((key) => !Object.hasOwn(value, key) || value[key] === undefined)
    .map((key) => fault(below(path, key), "missing", typesOf(properties.get(key) ?? {}).join(" or "), "nothing"));
  const rest = schema["additionalProperties"];
  const present = Object.keys(value).flatMap((key) => {
    const part = properties.get(key) ?? (isSchema(rest) ? rest : undefined);
    if (part !== undefined) {
      return value[key] === undefined ? [] : schemaFaults(part, value[key], below(path, key), depth + 1);
    }
    return rest === false ? [fault(below(path, key), "unexpected", "nothing", typeOf(value[key]))] : [];
  });
  return [...missing, ...present];
}

function fault(path: string, kind: SchemaFault["kind"], expected: string, found: string): SchemaFault {
  return { path, kind, expected, found };
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

function quoted(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value.slice(0, 100)) : typeOf(value);
}

function isSchema(value: unknown): value is JsonSchema {
  return isObject(value);
}

function listOf(value: unknown): JsonSchema[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

function propertiesOf(schema: JsonSchema): [string, JsonSchema][] {
  const properties = schema["properties"];
  if (!isSchema(properties)) return [];
  return Object.entries(properties).map(([key, part]) => [key, isSchema(part) ? part : {}]);
}

/** A key such as `__proto__` is a key like any other. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}
