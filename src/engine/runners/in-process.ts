import { type Callback, type CallbackHook, type FunctionHook, messageOf, Problem } from "../../protocol/internal.ts";
import { type Limit, type MaybeAsync, settled, waitFor } from "./run-limits.ts";
import { emptyOutput, failedResult, type RunnerResult, resultWithoutAnswer } from "./runner-result.ts";

export interface CallbackCall extends Limit {
  /** A frozen copy: one callback cannot change what the next one sees. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly toolUseId: string | undefined;
}

/**
 * Contract: resolves even if the callback never answers, except while it holds the thread. An answer given at once costs neither a
 * timer nor a listener; only a promise that is pending is waited for.
 */
export function runCallback(hook: CallbackHook, call: CallbackCall): MaybeAsync<RunnerResult> {
  if (call.signal.aborted) return resultWithoutAnswer({ by: "cancelled" }, call);
  const { payload, toolUseId } = call;
  const context = new HandlerContext(toolUseId);
  const handler = handlers.get(hook.callback);
  let value: unknown;
  try {
    value = handler ? handler(payload, context) : hook.callback(payload, toolUseId, context.signal);
    if (!isPromise(value)) return returned(hook, value);
  } catch (error) {
    return failed(hook, resultWithoutAnswer({ by: "threw", error }, call));
  }
  return settled(value, call, { abort: (reason) => controllerIn(context).abort(reason) }).then((waited) => {
    if (waited.by === "answered") return returned(hook, waited.value);
    const ran = resultWithoutAnswer(waited, call);
    return waited.by === "threw" ? failed(hook, ran) : ran;
  });
}

const controllerOf = Symbol("controller");

/** A hook of `engine.on`. */
type ContextHandler = (payload: CallbackCall["payload"], context: HandlerContext) => ReturnType<Callback>;

const handlers = new WeakMap<Callback, ContextHandler>();

/** The callback hook of a handler that takes a context. */
export function contextCallback(handler: (...args: Parameters<ContextHandler>) => ReturnType<Callback>): Callback {
  const callback: Callback = (payload, toolUseId) => handler(payload, new HandlerContext(toolUseId));
  handlers.set(callback, handler);
  return callback;
}

/**
 * Creates its signal when it is first read: few handlers read it, and creating one takes as long as the rest of the event. `signal` is not
 * an own property, which would cost a tenth of the event: a copy of the context (`{ ...context }`) does not have it.
 */
class HandlerContext {
  readonly toolUseId: string | undefined;
  readonly [controllerOf]: { current?: AbortController } = {};

  constructor(toolUseId: string | undefined) {
    this.toolUseId = toolUseId;
  }

  get signal(): AbortSignal {
    return controllerIn(this).signal;
  }
}

/** The same one for the context, for a proxy of it and for an object that inherits from it. */
function controllerIn({ [controllerOf]: held }: HandlerContext): AbortController {
  held.current ??= new AbortController();
  return held.current;
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** An invalid value is kept with its failure: it may still contain a denial. */
function returned(hook: CallbackHook, value: unknown): RunnerResult {
  if (value === undefined || value === null) return silence;
  const ran: RunnerResult = { ...silence, output: { kind: "returned", value } };
  if (typeof value === "object" && !Array.isArray(value)) return ran;
  const what = Array.isArray(value) ? "a list" : `a ${typeof value}`;
  return failed(hook, { ...ran, failure: `returned ${what}; a callback returns an object or nothing` });
}

/** Most callbacks return nothing for most events, so this result is shared. */
const silence: RunnerResult = {
  ...emptyOutput,
  ended: { by: "answered" },
  output: { kind: "returned", value: undefined },
};

function failed(hook: CallbackHook, ran: RunnerResult): RunnerResult {
  return hook.errorMessage === undefined ? ran : { ...ran, failure: hook.errorMessage };
}

interface FunctionCall extends Limit {
  readonly messages: readonly unknown[];
}

/** Contract: resolves even if the function never answers. True lets the agent stop, false makes it continue; anything else is a failure. */
export async function runFunction(hook: FunctionHook, call: FunctionCall): Promise<RunnerResult> {
  const waited = await waitFor(async (signal) => hook.function(call.messages, signal), call);
  if (waited.by !== "answered") return resultWithoutAnswer(waited, call);
  const ok: unknown = waited.value;
  if (typeof ok !== "boolean") {
    const found = ok === null ? "null" : typeof ok;
    return failedResult({ by: "answered" }, `returned ${found}; a function hook returns true or false`);
  }
  const reply = ok ? { ok } : { ok, reason: hook.errorMessage };
  return { ...emptyOutput, ended: { by: "answered" }, output: { kind: "judged", ...reply, continueOnBlock: false } };
}

/** The copies that in-process hooks of one event share. A field of the event: a weak map of all events costs more than the copies. */
export interface SharedCopies {
  payload?: SharedCopy;
  conversation?: SharedCopy;
}

interface SharedCopy {
  /** The payload it was made for; a rewritten input makes a new one. */
  readonly of: object;
  readonly copy: unknown;
}

/**
 * What in-process hooks get of a value of the host's: a copy that they cannot change, so that no handler changes what the next one, or
 * the host, continues with. Made when the first one asks for it; all hooks of one event share it.
 *
 * Contract: the value itself is neither changed nor frozen. `of` is a new object for every event and every rewritten input.
 */
export function frozenFor<T>(of: object, copies: SharedCopies, name: keyof SharedCopies, value: () => T): T {
  const known = copies[name];
  if (known?.of === of) return known.copy as T;
  const copy = frozenClone(value());
  copies[name] = { of, copy };
  return copy;
}

/**
 * A deep copy, deep-frozen. Contract: any depth and circles are supported. Plain data is copied as it is; dates, bytes, maps and sets stay
 * what they are but cannot be frozen; of any other object what it is in JSON counts.
 */
export function frozenClone<T>(root: T): T {
  if (typeof root !== "object" || root === null) return root;
  const copies = new Map<object, object>();
  const waiting: (readonly [from: object, to: object])[] = [];

  function copyOf(given: unknown): unknown {
    const value = asInJson(given);
    if (typeof value !== "object" || value === null) return value;
    const known = copies.get(value);
    if (known !== undefined) return known;
    const copy = emptyCopy(value);
    copies.set(value, copy);
    waiting.push([value, copy]);
    return copy;
  }

  try {
    const result = copyOf(root);
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) fill(next[0], next[1], copyOf);
    return result as T;
  } catch (cause) {
    const message = `The payload cannot be copied for in-process hooks: ${messageOf(cause)}.`;
    throw new Problem("event/bad-payload", message, { cause });
  }
}

/** An address, or whatever else says itself how it is written, is what other hooks read on their stdin. */
function asInJson(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null || isKept(value)) return value;
  if (value instanceof String || value instanceof Number || value instanceof Boolean) return value.valueOf();
  if (!("toJSON" in value) || typeof value.toJSON !== "function") return value;
  return value.toJSON();
}

/** Copied as what they are. */
function isKept(value: object): boolean {
  return value instanceof Date || ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}

function emptyCopy(value: object): object {
  if (Array.isArray(value)) return new Array(value.length);
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return {};
  if (value instanceof Date) return new Date(value);
  if (isKept(value)) return structuredClone(value);
  if (value instanceof Map) return new Map();
  return value instanceof Set ? new Set() : {};
}

function fill(from: object, to: object, copyOf: (value: unknown) => unknown): void {
  if (Array.isArray(from)) {
    for (let at = 0; at < from.length; at++) (to as unknown[])[at] = copyOf(from[at]);
  } else if (to instanceof Map) {
    for (const [key, value] of from as Map<unknown, unknown>) to.set(copyOf(key), copyOf(value));
  } else if (to instanceof Set) {
    for (const value of from as Set<unknown>) to.add(copyOf(value));
  } else if (isKept(to)) {
    return;
  } else {
    for (const key of Object.keys(from)) set(to, key, copyOf((from as Readonly<Record<string, unknown>>)[key]));
  }
  Object.freeze(to);
}

/** `__proto__` is a name like any other, but assigning it would not make a field of it. */
function set(to: object, key: string, value: unknown): void {
  if (key !== "__proto__") (to as Record<string, unknown>)[key] = value;
  else Object.defineProperty(to, key, { value, enumerable: true });
}
