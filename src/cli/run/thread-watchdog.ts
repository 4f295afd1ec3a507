import { messageOf } from "../../protocol/internal.ts";

/** Called by the other thread; a registered symbol, since it knows nothing else of ours. */
const late = Symbol.for("hookline.late");

/**
 * Calls back when time is up, even while somebody holds the thread: then no timer of its own runs, and a host that waits in vain lets
 * the action go on. A thread beside it waits and breaks in as a debugger does. That is the start of a thread for each call, so it is
 * for events only that must not pass when a handler fails.
 *
 * Contract: never throws. Nothing is called once the returned function was.
 */
export function watchThread(ms: number, onLate: () => void, complain: (line: string) => void): () => void {
  let watching = true;
  Object.defineProperty(globalThis, late, { value: () => watching && onLate(), configurable: true });
  const unwatched = (error: unknown) => complain(`Nobody can end a handler that holds the thread: ${messageOf(error)}`);
  try {
    // Not imported above: most calls have no use for it.
    const { Worker } = process.getBuiltinModule("node:worker_threads");
    const watcher = new Worker(body, { eval: true, workerData: ms, env: {}, execArgv: [] });
    watcher.on("error", unwatched);
    watcher.unref();
  } catch (error) {
    unwatched(error);
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
