import { AsyncLocalStorage } from "node:async_hooks";
import { openSync, readdirSync, readFileSync, readlinkSync, readSync } from "node:fs";
import { basename } from "node:path";
import { attempt, type CallbackHook, type FunctionHook } from "../../protocol/internal.ts";
import type { Environment } from "../options.ts";

/** Events fired by hooks of hooks of hooks run no more hooks. */
export const maxHookDepth = 3;

/** The depth of the hook that holds the thread, and of those that wait for something. */
let onThread: number | undefined;
let waiting: AsyncLocalStorage<number> | undefined;

/** More engines inside each other than this are a loop, whatever lost count of it. */
const mostEngines = 8;

/**
 * How deep this process is: the hook process of another engine starts at that engine's depth. The variable may be lost, so the
 * process tree is checked too.
 */
export function processDepth(env: Environment): number {
  const outer = Number(env["HOOKLINE_DEPTH"]);
  const named = Number.isInteger(outer) && outer > 0 ? outer : 0;
  const { depth, sessions } = nesting();
  const runs = (env["HOOKLINE_RUN"] ?? "").split("/").length;
  return Math.max(named, depth, sessions >= mostEngines || runs > mostEngines ? maxHookDepth : 0);
}

/** How many hooks deep the caller is. */
export function currentDepth(outer: number): number {
  return onThread ?? waiting?.getStore() ?? outer;
}

/**
 * Runs an in-process hook so that events it fires know how deep they are. Following a hook across its waits slows down every promise of
 * the process, so it is done only for hooks that are written with `async` or have been seen to wait.
 */
export function runOneDeeper<T>(hook: CallbackHook | FunctionHook, depth: number, work: () => T): T {
  if (!waits.has(hook) && !isAsync(hook)) {
    const result = runAtDepth(depth + 1, work);
    if (result instanceof Promise) waits.add(hook);
    return result;
  }
  return runDeeperAsync(depth, work);
}

/** The same for a hook whose work the host does: what it fires meanwhile is one deeper, wherever it waited. */
export function runDeeperAsync<T>(depth: number, work: () => T): T {
  waiting ??= new AsyncLocalStorage();
  return waiting.run(depth + 1, work);
}

const waits = new WeakSet<CallbackHook | FunctionHook>();

function isAsync(hook: CallbackHook | FunctionHook): boolean {
  const work = hook.type === "callback" ? hook.callback : hook.function;
  return work instanceof AsyncFunction || wrappers.has(work);
}

/** A wrapper around a function that is written with `async` waits like it. */
export function markAsync<T extends object>(wrapper: T, inner: unknown): T {
  if (inner instanceof AsyncFunction) wrappers.add(wrapper);
  return wrapper;
}

const wrappers = new WeakSet<object>();
const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;

function runAtDepth<T>(depth: number, work: () => T): T {
  const before = onThread;
  onThread = depth;
  try {
    return work();
  } finally {
    onThread = before;
  }
}

/**
 * How deep this process is in hooks, by marks that stay when a hook clears its environment. Linux only; elsewhere 0.
 *
 * A hook inherits an open file whose position is its depth: it survives `env -i`, `setsid` and shells that move
 * themselves into the background. Where a program closed it, the parent processes are checked: for the variable that they were
 * started with, and for the number of sessions started by a JavaScript runtime.
 */
export function nesting(): { readonly depth: number; readonly sessions: number } {
  if (process.platform !== "linux") return { depth: 0, sessions: 0 };
  const line = ancestry();
  const sessions = line.filter(({ pid, sid }, index) => pid === sid && isRuntime(line[index + 1]?.pid)).length;
  return { depth: Math.max(markedDepth(), ...line.map(({ pid }) => startedDepth(pid))), sessions };
}

/** A file that every process may read and that nothing else keeps open. */
const file = "/proc/version";
const step = 10;
const deepestMark = 9;

/** An open file that marks a hook of this depth, for its process to inherit; the caller closes it. Undefined where there is none. */
export function openDepthMark(depth: number): number | undefined {
  if (process.platform !== "linux" || depth < 1) return undefined;
  // Without `/proc` the variable and the time limits are what is left.
  return attempt(() => {
    const mark = openSync(file, "r");
    readSync(mark, Buffer.alloc(step * deepestMark), 0, step * Math.min(depth, deepestMark), null);
    return mark;
  });
}

function markedDepth(): number {
  const marks = (attempt(() => readdirSync("/proc/self/fd")) ?? []).filter(
    (name) => link(`/proc/self/fd/${name}`) === file,
  );
  const positions = marks.map((name) => Number(/^pos:\s*(\d+)/.exec(text(`/proc/self/fdinfo/${name}`))?.[1] ?? 0));
  return Math.max(0, ...positions.map((position) => Math.floor(position / step)));
}

interface Row {
  readonly pid: number;
  readonly sid: number;
}

const mostAncestors = 200;

/** This process and those it was started by. */
function ancestry(): readonly Row[] {
  const rows: Row[] = [];
  for (let pid = process.pid; pid > 1 && rows.length < mostAncestors; ) {
    const stat = text(`/proc/${pid}/stat`);
    // The name is in parentheses and may itself contain spaces and parentheses.
    const [, ppid, , sid] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (ppid === undefined || sid === undefined) break;
    rows.push({ pid, sid: Number(sid) });
    pid = Number(ppid);
  }
  return rows;
}

function isRuntime(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  const program = link(`/proc/${pid}/exe`);
  return program === process.execPath || /^(?:node|bun|deno|electron)/.test(basename(program));
}

/** The depth in the environment that a process was started with. */
function startedDepth(pid: number): number {
  const depth = Number(/(?:^|\0)HOOKLINE_DEPTH=(\d{1,3})(?:\0|$)/.exec(text(`/proc/${pid}/environ`))?.[1] ?? 0);
  return Number.isInteger(depth) ? depth : 0;
}

/** Empty for what has ended, belongs to another user or is hidden in this sandbox. */
function link(path: string): string {
  return attempt(() => readlinkSync(path)) ?? "";
}

function text(path: string): string {
  return attempt(() => readFileSync(path, "latin1")) ?? "";
}
