import { didYouMean, messageOf, Problem, type ProblemCode, showValue } from "../../protocol/internal.ts";

/**
 * Throws for an unknown option or a wrong value. Hooks files run without type checks: with a misspelled option a guard that should block
 * would let calls pass. `own` are checks of options that mean something else in this call; `about` goes into the problem.
 */
export function checkOptions(
  options: object,
  known: readonly string[],
  of: string,
  { own = [], about = {} }: { readonly own?: readonly ValueCheck[]; readonly about?: object } = {},
): void {
  if (!isPlainObject(options))
    throw sdkProblem("bad-option", `The options of ${of} are ${describeType(options)}, not an object.`, { of });
  for (const [name, value] of Object.entries(options)) {
    const fault = known.includes(name)
      ? faultOf(name, value, of, own)
      : `${of} has no option "${name}".${didYouMean(name, known, `It has ${known.join(", ") || "none"}.`)}`;
    if (fault !== undefined) throw sdkProblem("bad-option", fault, { name, of, ...about });
  }
}

/** The type of an option of an author's own function, or the texts that it may be. */
export type OptionType = keyof typeof optionTypes | readonly string[];

/**
 * `checkOptions` for the options that a blueprint or a strategy declares. A type that is undefined accepts all values: such an option may
 * have any name, also one of those that have a meaning elsewhere.
 */
export function checkDeclared(
  options: object,
  types: Readonly<Record<string, OptionType | undefined>>,
  of: string,
  about: object = {},
): void {
  const own = Object.entries(types).map(([name, type]): ValueCheck => {
    if (type === undefined) return [[name], "", () => true];
    if (typeof type !== "string") {
      return [[name], type.map(showValue).join(" or "), (value) => isText(value) && type.includes(value)];
    }
    if (Object.hasOwn(optionTypes, type)) return [[name], ...optionTypes[type]];
    const message = `The type ${showValue(type)} of the option "${name}" of ${of} is unknown; the types are ${Object.keys(optionTypes).join(", ")}.`;
    throw sdkProblem("bad-option", message, { name, of, ...about });
  });
  checkOptions(options, Object.keys(types), of, { own, about });
}

/** Throws for an option that is missing although the call cannot do without it. */
export function requireOptions(options: object, required: readonly string[], of: string): void {
  const name = required.find((one) => (options as Readonly<Record<string, unknown>>)[one] === undefined);
  if (name !== undefined) throw sdkProblem("bad-option", `${of} requires the option "${name}".`, { name, of });
}

/** False for a list, a set, a promise and so on, whose entries would be ignored. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === "[object Object]";
}

/** The type of a value for messages: `a string`, `a list`, `null`. */
export function describeType(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

export type ValueCheck = readonly [options: readonly string[], expected: string, fits: (value: unknown) => boolean];

const isText = (value: unknown): value is string => typeof value === "string";
const isFunction = (value: unknown) => typeof value === "function";
const isFlag = (value: unknown) => typeof value === "boolean";
const isAbove0 = (value: unknown) => typeof value === "number" && value > 0;
const isRegExp = (value: unknown) => value instanceof RegExp;
const isTextList = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const has = (value: unknown, method: PropertyKey) =>
  typeof (value as Readonly<Record<PropertyKey, unknown>> | null)?.[method] === "function";

const optionTypes = {
  string: ["a string", isText],
  number: ["a number", (value: unknown) => typeof value === "number" && !Number.isNaN(value)],
  positive: ["a number above 0", isAbove0],
  boolean: ["true or false", isFlag],
  RegExp: ["a regular expression", isRegExp],
  object: ["an object", isPlainObject],
  "string[]": ["a list of strings", isTextList],
  "RegExp[]": ["a list of regular expressions", (value: unknown) => Array.isArray(value) && value.every(isRegExp)],
} as const;

/** Waiting may take no time at all; elsewhere a timeout of 0 would end everything at once. */
export const waitCheck: ValueCheck = [
  ["timeoutMs"],
  "a number of milliseconds, 0 or more",
  (value) => typeof value === "number" && value >= 0,
];

/** The values that options accept, in every call that has an option of this name. Any other option accepts all values. */
const valueChecks: readonly ValueCheck[] = [
  [["onFailure"], '"block" or "continue"', (value) => value === "block" || value === "continue"],
  [["onConflict"], '"order"', (value) => value === "order"],
  [["deliver"], '"context"', (value) => value === "context"],
  [["scope"], '"event", "session" or "process"', (value) => ["event", "session", "process"].includes(value as string)],
  [["timeoutMs", "silenceMs", "leaseMs", "pollMs"], "a number of milliseconds above 0", isAbove0],
  [["idleMs"], "a number of milliseconds, 0 or more", (value) => typeof value === "number" && value >= 0],
  [["stateMaxBytes", "maxBytes"], "a number of bytes above 0", isAbove0],
  [["files", "jobs", "maxOpen", "maxTurns"], "a whole number above 0", (value) => isAbove0(value) && isWhole(value)],
  [["maxCostUsd"], "a number above 0", isAbove0],
  [
    ["port"],
    "a whole number from 0 to 65535",
    (value) => isWhole(value) && Number(value) >= 0 && Number(value) < 65_536,
  ],
  [["ttlMs", "priority", "attempts"], "a number", (value) => typeof value === "number"],
  [["name", "version", "description", "key", "prefix", "sessionId"], "a string", isText],
  [["stateDir", "file", "cwd", "token", "agent", "model", "permissionMode"], "a string", isText],
  [["when", "build", "dispose", "complain", "now", "outdated"], "a function", isFunction],
  [["recheck", "replay", "content", "hidePrompt", "interrupt"], "true or false", isFlag],
  [["state", "defaults", "env", "session", "project", "user", "transcript"], "an object", isPlainObject],
  [["tasks", "backend"], "a task backend", (value) => has(value, "add") && has(value, "claim")],
  [["hooks", "customEvents", "tools"], "a list of strings", isTextList],
  [["options"], "a list of names, or an object with their types", (value) => isTextList(value) || isPlainObject(value)],
  [["command"], "a list of a program and its arguments", (value) => isTextList(value) && value.length > 0],
  [["rules"], "a list", Array.isArray],
  [["signal"], "an AbortSignal", (value) => has(value, "addEventListener") && isFlag((value as AbortSignal).aborted)],
  [["input"], "a stream", (value) => has(value, Symbol.asyncIterator)],
  [["output", "errors"], "an object with write", (value) => has(value, "write")],
  [["startedAt"], "a valid Date", (value) => value instanceof Date && !Number.isNaN(value.getTime())],
  [["connection"], "a URL or an object", (value) => isText(value) || isPlainObject(value)],
  [
    ["log"],
    "false, or an object with content, maxBytes and files",
    (value) => typeof value === "boolean" || isPlainObject(value),
  ],
];

function isWhole(value: unknown): boolean {
  return Number.isInteger(value);
}

function faultOf(name: string, value: unknown, of: string, own: readonly ValueCheck[]): string | undefined {
  const isOf = ([options]: ValueCheck) => options.includes(name);
  const [, expected, fits] = own.find(isOf) ?? valueChecks.find(isOf) ?? [];
  if (value === undefined || fits?.(value) !== false) return undefined;
  return `The option "${name}" of ${of} is ${showValue(value)}; it must be ${expected}.`;
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
