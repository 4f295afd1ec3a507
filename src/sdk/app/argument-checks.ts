import { messageOf, Problem, type ProblemCode } from "../../protocol/internal.ts";

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

function faultOf(name: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (name === "onFailure" && value !== "block" && value !== "continue") {
    return `${JSON.stringify(value)}; it must be "block" or "continue"`;
  }
  if (name === "timeoutMs" && !(typeof value === "number" && value > 0)) {
    return `${typeof value === "number" ? value : JSON.stringify(value)}; it must be a number of milliseconds above 0`;
  }
  if ((name === "ttlMs" || name === "priority" || name === "attempts") && typeof value !== "number") {
    return `${JSON.stringify(value)}; it must be a number`;
  }
  if (name === "recheck" && typeof value !== "boolean") return `${JSON.stringify(value)}; it must be true or false`;
  if ((name === "name" || name === "stateDir") && typeof value !== "string") {
    return `${JSON.stringify(value)}; it must be a string`;
  }
  if (name === "stateMaxBytes" && !(typeof value === "number" && value > 0)) {
    return `${JSON.stringify(value)}; it must be a number of bytes above 0`;
  }
  if ((name === "state" || name === "defaults") && !isPlainObject(value))
    return `a ${typeof value}; it must be an object`;
  if (name === "log" && typeof value !== "boolean" && !isPlainObject(value)) {
    return `${JSON.stringify(value)}; it must be false, or an object with content, maxBytes and files`;
  }
  if (name === "onConflict" && value !== "order") return `${JSON.stringify(value)}; it must be "order"`;
  if (name === "deliver" && value !== "context") return `${JSON.stringify(value)}; it must be "context"`;
  if ((name === "when" || name === "build" || name === "dispose") && typeof value !== "function") {
    return `a ${typeof value}; it must be a function`;
  }
  if ((name === "hooks" || name === "options") && !Array.isArray(value))
    return `${JSON.stringify(value)}; it must be a list`;
  if (name === "scope" && value !== "event" && value !== "session" && value !== "process") {
    return `${JSON.stringify(value)}; it must be "event", "session" or "process"`;
  }
  return undefined;
}

type SdkCode = ProblemCode extends infer Code ? (Code extends `sdk/${infer Name}` ? Name : never) : never;

/** A wrong call of the sdk. Contract: the code `sdk/<name>` is stable; the message says what is wrong, where, and how to fix it. */
export function sdkProblem(
  name: SdkCode,
  message: string,
  about: Record<string, unknown> = {},
  cause?: unknown,
): Problem {
  return new Problem(`sdk/${name}`, message, { about, ...(cause === undefined ? {} : { cause }) });
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
