import { messageOf, Problem, type ProblemCode } from "../../protocol/internal.ts";

/**
 * Contract: a misspelled option throws when the app is made; otherwise a guard that was meant to block would let calls pass. A hooks file
 * runs without type checks.
 */
export function checkOptions(options: object, known: readonly string[], of: string): void {
  if (!isPlainObject(options))
    throw sdkProblem("bad-option", `The options of ${of} are ${kindOf(options)}, not an object.`, { of });
  for (const [name, value] of Object.entries(options)) {
    const fault = known.includes(name)
      ? faultOf(name, value)
      : `unknown${known.length > 0 ? `; the options are ${known.join(", ")}` : ""}`;
    if (fault !== undefined) throw sdkProblem("bad-option", `The option "${name}" of ${of} is ${fault}.`, { name, of });
  }
}

/** An object with named values, and not a list, a set, a promise or the like, whose entries would be passed over. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === "[object Object]";
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "a list" : `of the type ${typeof value}`;
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
    return `${JSON.stringify(value)}; it must be a text`;
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

type Code = ProblemCode extends infer One ? (One extends `sdk/${infer What}` ? What : never) : never;

/** A wrong call of the sdk. Contract: the code `sdk/<what>` is stable; the message says what is wrong, where, and how to fix it. */
export function sdkProblem(what: Code, message: string, about: Record<string, unknown> = {}, cause?: unknown): Problem {
  return new Problem(`sdk/${what}`, message, { about, ...(cause === undefined ? {} : { cause }) });
}

/**
 * The text of a value as JSON; `null` for nothing. Contract: what would be lost on the way is refused: a function, a symbol, a Map, a
 * Set, a BigInt, a ring.
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
