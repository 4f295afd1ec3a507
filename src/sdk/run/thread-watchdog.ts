import type { Worker } from "node:worker_threads";
import { messageOf } from "../../protocol/internal.ts";
import { limitSyncChildren } from "./sync-children.ts";

/** Called by the worker thread, which can only reach it by a registered symbol. */
const late = Symbol.for("hookline.late");

/** The thread, once it is started, and the number of the limit that counts. */
let watcher: Worker | undefined;
let current = 0;

/**
 * Calls back one second after `ms`, even while code blocks the event loop: then no timer of this thread fires, and an agent that gets no answer
 * continues the operation. A worker thread waits and interrupts this one as a debugger does. Starting a thread for each call is slow, so
 * this is only for calls that a failure blocks, and for code that is loaded for the first time. Never throws. Returns a function that
 * stops it. A new limit replaces the last one.
 */
export function startWatchdog(ms: number, onLate: () => void, warn: (line: string) => void): () => void {
  const own = ++current;
  // Once: the thread can also interrupt while the end of a child process calls back.
  const end = (): void => {
    if (own !== current) return;
    current++;
    onLate();
  };
  const value = (limit: number) => limit === own && end();
  Object.defineProperty(globalThis, late, { value, configurable: true });
  const failed = (error: unknown) =>
    warn(`Cannot start the watchdog thread; code that blocks the event loop will not be stopped: ${messageOf(error)}`);
  try {
    watcher ??= startWatcher(failed);
    watcher.postMessage({ ms: Math.min(ms + graceMs, 2 ** 31 - 1), limit: own });
  } catch (error) {
    failed(error);
  }
  const unlimit = limitSyncChildren(ms + graceMs, end);
  return () => {
    if (own !== current) return;
    current++;
    watcher?.postMessage({});
    unlimit();
  };
}

/** Time for code that only waits: its own timers end it. */
const graceMs = 1_000;

function startWatcher(failed: (error: unknown) => void): Worker {
  // Loaded on demand: most calls do not need it.
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  const started = new Worker(body, { eval: true, env: {}, execArgv: [] });
  started.on("error", failed);
  started.unref();
  return started;
}

/**
 * A limit that was stopped must not interrupt: Node would report a debugger on stderr. A thread that does not react waits for a child
 * process, such as one that ignores the signal of its own timeout. A detached child has a session of its own and continues: no thread
 * waits for it.
 */
const body = `
const { parentPort } = require("node:worker_threads");
let timer;
const interrupt = (limit) => {
  const { Session } = require("node:inspector");
  const session = new Session();
  session.connectToMainThread();
  session.post("Runtime.evaluate", { expression: 'globalThis[Symbol.for("${late.description}")](' + limit + ")" });
  if (process.platform === "linux") timer = setTimeout(endChildren, 500);
};
const endChildren = () => {
  const read = (name) => require("node:fs").readFileSync("/proc/" + name, "utf8");
  const sessionOf = (pid) => read(pid + "/stat").split(") ").pop().split(" ")[3];
  for (const pid of read("self/task/" + process.pid + "/children").match(/\\d+/g) ?? [])
    if (sessionOf(pid) === sessionOf("self")) process.kill(Number(pid), "SIGKILL");
};
parentPort.on("message", ({ ms, limit }) => {
  clearTimeout(timer);
  if (limit !== undefined) timer = setTimeout(interrupt, ms, limit);
});
`;
