import { messageOf, Problem, type ProblemCode, showValue } from "../../protocol/internal.ts";

/**
 * Throws for an unknown option or a wrong value. Hooks files run without type checks: with a misspelled option a guard that should block
 * would let calls pass.
 */
export function checkOptions(options: object, known: readonly string[], of: string): void {
  if (!isPlainObject(options))
    throw sdkProblem("bad-option", `The options of ${of} are ${describeType(options)}, not an object.`, { of });
  for (const [name, value] of Object.entries(options)) {
    const fault = known.includes(name)
      ? faultOf(name, value)
      : `unknown${known.length > 0 ? `; the options are ${known.join(", ")}` : ""}`;
    if (fault !== undefined) throw sdkProblem("bad-option", `The option "${name}" of ${of} is ${fault}.`, { name, of });
  }
}

/** False for a list, a set, a promise and so on, whose entries would be ignored. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === "[object Object]";
}

/** The type of a value for messages: `a string`, `a list`, `null`. */
export function describeType(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

type ValueCheck = readonly [options: readonly string[], expected: string, fits: (value: unknown) => boolean];

/** The values that options accept, in every call that has an option of this name. Any other option accepts all values. */
const valueChecks: readonly ValueCheck[] = [
  [["onFailure"], '"block" or "continue"', (value) => value === "block" || value === "continue"],
  [["onConflict"], '"order"', (value) => value === "order"],
  [["deliver"], '"context"', (value) => value === "context"],
  [["scope"], '"event", "session" or "process"', (value) => ["event", "session", "process"].includes(value as string)],
  [["timeoutMs"], "a number of milliseconds above 0", (value) => typeof value === "number" && value > 0],
  [["stateMaxBytes"], "a number of bytes above 0", (value) => typeof value === "number" && value > 0],
  [["ttlMs", "priority", "attempts"], "a number", (value) => typeof value === "number"],
  [["name", "stateDir"], "a string", (value) => typeof value === "string"],
  [["when", "build", "dispose"], "a function", (value) => typeof value === "function"],
  [["recheck"], "true or false", (value) => typeof value === "boolean"],
  [["state", "defaults"], "an object", isPlainObject],
  [["hooks", "options"], "a list", Array.isArray],
  [
    ["log"],
    "false, or an object with content, maxBytes and files",
    (value) => typeof value === "boolean" || isPlainObject(value),
  ],
];

function faultOf(name: string, value: unknown): string | undefined {
  const [, expected, fits] = valueChecks.find(([options]) => options.includes(name)) ?? [];
  return value === undefined || fits?.(value) !== false ? undefined : `${showValue(value)}; it must be ${expected}`;
}

type SdkCode = ProblemCode extends infer Code ? (Code extends `sdk/${infer Name}` ? Name : never) : never;

/** A wrong call of the sdk. Contract: the code `sdk/<name>` is stable; the message says what is wrong, where, and how to fix it. */
export function sdkProblem(
  name: SdkCode,
  message: string,
  about: Record<string, unknown> = {},
  cause?: unknown,
): Problem {
  return new Problem(`sdk/${name}`, message, { about, cause });
}

/**
 * A value as JSON text; `null` for undefined.
 * Contract: throws for values that JSON cannot hold: a function, a symbol, a Map, a Set, a BigInt, a circular reference.
 */
export function toJsonOrThrow(value: unknown, refused: (why: string, cause: unknown) => Error): string {
  try {
    return JSON.stringify(value, refuseLost) ?? "null";
  } catch (cause) {
    throw refused(messageOf(cause).split("\n")[0] ?? "", cause);
  }
}

function refuseLost(_key: string, value: unknown): unknown {
  if (typeof value === "function" || typeof value === "symbol") throw new TypeError(`a ${typeof value} cannot be kept`);
  if (value instanceof Map || value instanceof Set) throw new TypeError(`a ${value.constructor.name} cannot be kept`);
  return value;
}
