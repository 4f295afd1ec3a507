import { AsyncLocalStorage } from "node:async_hooks";
import type { CallbackHook, FunctionHook } from "../protocol/index.ts";
import { nesting } from "./nesting.ts";
import type { Environment } from "./runners/command/environment.ts";

/** Events fired by hooks of hooks of hooks run no more hooks. */
export const deepest = 3;

/** The depth of the hook that holds the thread, and of those that wait for something. */
let onThread: number | undefined;
let waiting: AsyncLocalStorage<number> | undefined;

/** More engines inside each other than this are a loop, whatever lost count of it. */
const mostEngines = 8;

/**
 * How deep this process is: the hook process of another engine begins where that one was. The variable that says so may be lost, so the
 * process itself is asked too.
 */
export function processDepth(env: Environment): number {
  const outer = Number(env["HOOKLINE_DEPTH"]);
  const told = Number.isInteger(outer) && outer > 0 ? outer : 0;
  const { depth, sessions } = nesting();
  const runs = (env["HOOKLINE_RUN"] ?? "").split("/").length;
  return Math.max(told, depth, sessions >= mostEngines || runs > mostEngines ? deepest : 0);
}

/** How many hooks deep the caller is. */
export function currentDepth(outer: number): number {
  return onThread ?? waiting?.getStore() ?? outer;
}

/**
 * Runs an in-process hook so that events it fires know how deep they are. Following a hook across its waits slows down every promise of
 * the process, so it is done only for hooks that are written with `async` or have been seen to wait.
 */
export function oneDeeper<T>(hook: CallbackHook | FunctionHook, depth: number, work: () => T): T {
  if (!waits.has(hook) && !isAsync(hook)) {
    const result = onThisThread(depth + 1, work);
    if (result instanceof Promise) waits.add(hook);
    return result;
  }
  return acrossWaits(depth, work);
}

/** The same for a hook whose work the host does: what it fires meanwhile is one deeper, wherever it waited. */
export function acrossWaits<T>(depth: number, work: () => T): T {
  waiting ??= new AsyncLocalStorage();
  return waiting.run(depth + 1, work);
}

const waits = new WeakSet<CallbackHook | FunctionHook>();

function isAsync(hook: CallbackHook | FunctionHook): boolean {
  const work = hook.type === "callback" ? hook.callback : hook.function;
  return work instanceof AsyncFunction || wrappers.has(work);
}

/** A wrapper around a function that is written with `async` waits like it. */
export function waitsLike<T extends object>(wrapper: T, inner: unknown): T {
  if (inner instanceof AsyncFunction) wrappers.add(wrapper);
  return wrapper;
}

const wrappers = new WeakSet<object>();
const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;

function onThisThread<T>(depth: number, work: () => T): T {
  const before = onThread;
  onThread = depth;
  try {
    return work();
  } finally {
    onThread = before;
  }
}
