import { messageOf } from "../../protocol/internal.ts";

/** Called by the worker thread, which can only reach it by a registered symbol. */
const late = Symbol.for("hookline.late");

/**
 * Calls back after `ms`, even while a handler blocks the event loop: then no timer of this thread fires, and an agent that gets no answer
 * continues the operation. A worker thread waits and interrupts this one as a debugger does. Starting a thread for each call is slow, so
 * this is only for events that a failed handler blocks. Never throws. Returns a function that stops it.
 */
export function startWatchdog(ms: number, onLate: () => void, warn: (line: string) => void): () => void {
  let watching = true;
  Object.defineProperty(globalThis, late, { value: () => watching && onLate(), configurable: true });
  const failed = (error: unknown) =>
    warn(
      `Cannot start the watchdog thread; a handler that blocks the event loop will not be stopped: ${messageOf(error)}`,
    );
  try {
    // Loaded on demand: most calls do not need it.
    const { Worker } = process.getBuiltinModule("node:worker_threads");
    const watcher = new Worker(body, { eval: true, workerData: ms, env: {}, execArgv: [] });
    watcher.on("error", failed);
    watcher.unref();
  } catch (error) {
    failed(error);
  }
  return () => {
    watching = false;
  };
}

const body = `
const { workerData } = require("node:worker_threads");
setTimeout(() => {
  const { Session } = require("node:inspector");
  const session = new Session();
  session.connectToMainThread();
  session.post("Runtime.evaluate", { expression: 'globalThis[Symbol.for("${late.description}")]()' });
}, workerData);
`;
