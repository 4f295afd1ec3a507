import {
  type HookOutput,
  isObject,
  outputShapes,
  shown,
  specificShapes,
  type WireShape,
} from "../../../protocol/internal.ts";

type Json = Readonly<Record<string, unknown>>;

/** The first field whose value cannot be used, in words; undefined when the object is exactly what the wire allows. */
export function faultOf(value: Json): string | undefined {
  const [top] = faultsIn(value, outputShapes, "");
  if (top !== undefined) return top.why;
  const specific = (value as HookOutput).hookSpecificOutput;
  return specific === undefined ? undefined : faultsIn({ ...specific }, specificShapes, "hookSpecificOutput.")[0]?.why;
}

/** The object without the fields that cannot be used, and what was wrong with each of them. */
export function withoutFaults(value: Json): { readonly value: Json; readonly faults: readonly string[] } {
  const top = faultsIn(value, outputShapes, "");
  const kept = without(value, top);
  const specific = kept["hookSpecificOutput"];
  if (!isObject(specific)) return { value: kept, faults: top.map(({ why }) => why) };
  const inner = faultsIn(specific, specificShapes, "hookSpecificOutput.");
  return {
    value: { ...kept, hookSpecificOutput: without(specific, inner) },
    faults: [...top, ...inner].map(({ why }) => why),
  };
}

interface Fault {
  readonly key: string;
  readonly why: string;
}

function faultsIn(value: Json, shapes: Readonly<Record<string, WireShape>>, prefix: string): readonly Fault[] {
  const faults: Fault[] = [];
  for (const key in shapes) {
    const shape = shapes[key];
    if (shape === undefined || !Object.hasOwn(value, key)) continue;
    const field = value[key];
    if (!fits(field, shape)) {
      faults.push({ key, why: `${prefix}${key} must be ${describe(shape)}, not ${shown(field)}` });
    }
  }
  return faults;
}

function without(value: Json, faults: readonly Fault[]): Json {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !faults.some((fault) => fault.key === key)));
}

function fits(value: unknown, shape: WireShape): boolean {
  if (typeof shape !== "string") return typeof value === "string" && shape.includes(value);
  switch (shape) {
    case "text":
      return typeof value === "string";
    case "flag":
      return typeof value === "boolean";
    case "number":
      return typeof value === "number";
    case "object":
      return isObject(value);
    case "texts":
      return Array.isArray(value) && value.every((item) => typeof item === "string");
    case "permission-answer":
      return isPermissionAnswer(value);
    case "anything":
      return true;
  }
}

function isPermissionAnswer(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { behavior, message, interrupt, updatedInput, updatedPermissions } = value;
  return (
    (behavior === "allow" || behavior === "deny") &&
    (message === undefined || typeof message === "string") &&
    (interrupt === undefined || typeof interrupt === "boolean") &&
    (updatedInput === undefined || isObject(updatedInput)) &&
    (updatedPermissions === undefined || Array.isArray(updatedPermissions))
  );
}

function describe(shape: WireShape): string {
  if (typeof shape !== "string") return shape.map((word) => `"${word}"`).join(", ");
  const words = {
    text: "a string",
    flag: "true or false",
    number: "a number",
    object: "an object",
    texts: "a list of strings",
    "permission-answer": "an object with behavior allow or deny",
    anything: "anything",
  };
  return words[shape];
}
