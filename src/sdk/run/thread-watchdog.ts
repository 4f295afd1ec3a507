import type { Worker } from "node:worker_threads";
import { openFlags } from "../../files/internal.ts";
import { messageOf } from "../../protocol/internal.ts";
import { releaseBlockedPipes } from "./blocked-pipes.ts";
import { ownThreads } from "./end-threads.ts";
import { limitSyncChildren } from "./sync-children.ts";

/** Called by the worker thread, which can only reach it by a registered symbol. */
const late = Symbol.for("hookline.late");

/** The thread, once it is started, and the number of the limit that counts. */
let watcher: Worker | undefined;
let current = 0;

/** The limit whose end has begun. Only one of the two threads may write the failure. */
const ended = new Int32Array(new SharedArrayBuffer(4));

export interface WatchdogOptions {
  readonly ms: number;
  /** Ends the process. */
  readonly onLate: () => void;
  /** The same for a thread that cannot be interrupted: what to write before the process ends. */
  readonly failure: () => ProcessEnd;
  readonly warn: (line: string) => void;
}

/** Texts to write, each to a descriptor or to the end of a file that exists, and the exit code. */
export interface ProcessEnd {
  readonly texts: readonly (readonly [to: number | string, text: string])[];
  readonly exitCode: number;
}

export interface Watchdog {
  /** Called when `failure` returns something else from now on. */
  update(): void;
  stop(): void;
}

/**
 * Calls back one second after `ms`, even while code blocks the event loop: then no timer of this thread fires, and an agent that gets no answer
 * continues the operation. A worker thread waits and interrupts this one as a debugger does. A thread that waits for the system, as for
 * a lock on a file, cannot be interrupted: then the worker ends the process. Starting a thread for each call is slow, so
 * this is only for calls that a failure blocks, and for code that is loaded for the first time. Never throws. A new limit replaces the
 * last one.
 */
export function startWatchdog({ ms, onLate, failure, warn }: WatchdogOptions): Watchdog {
  const own = ++current;
  // Once: the thread can also interrupt while the end of a child process calls back.
  const end = (): void => {
    if (own !== current) return;
    current++;
    claimEnd(own);
    onLate();
  };
  const value = (limit: number) => limit === own && end();
  Object.defineProperty(globalThis, late, { value, configurable: true });
  const failed = (error: unknown) =>
    warn(`Cannot start the watchdog thread, so code that blocks the event loop is not stopped: ${messageOf(error)}`);
  const post = (message: object): void => {
    try {
      watcher ??= startWatcher(failed);
      watcher.postMessage(message);
    } catch (error) {
      failed(error);
    }
  };
  post({ ms: Math.min(ms + graceMs, 2 ** 31 - 1), limit: own, failure: failure() });
  const unlimit = limitSyncChildren(ms + graceMs, end);
  return {
    update() {
      if (own === current) post({ failure: failure() });
    },
    stop() {
      if (own !== current) return;
      current++;
      claimEnd(own);
      watcher?.postMessage({});
      unlimit();
    },
  };
}

/** Does not return if the worker ends the process. */
function claimEnd(limit: number): void {
  if (Atomics.exchange(ended, 0, limit) === limit) Atomics.wait(ended, 0, limit);
}

/** Time for code that only waits: its own timers end it. */
const graceMs = 1_000;

function startWatcher(failed: (error: unknown) => void): Worker {
  // Loaded on demand: most calls do not need it.
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  const started = new Worker(threadCode(), { eval: true, env: {}, execArgv: [], workerData: ended });
  ownThreads.add(started);
  started.on("error", failed);
  started.unref();
  return started;
}

/** The compiler's library for Node does not have it. */
type Wasm = { WebAssembly: { Memory: new (size: { initial: number }) => object } };

/**
 * The program of the thread. A limit that was stopped must not interrupt: Node would report a debugger on stderr. A thread that does not react
 * waits for the writer of a named pipe, or for a child process, such as one that ignores the signal of its own timeout. A detached child
 * has a session of its own and continues: no thread waits for it. In a worker `process.exit` ends only the worker, while a program for WASI
 * ends the whole process.
 *
 * Contract: uses nothing outside its body, because the thread gets it as text.
 */
function watchThread(lateName: string, appending: number, releasePipes: () => void): void {
  const { parentPort, workerData: ended } = process.getBuiltinModule("node:worker_threads");
  const { openSync, readFileSync, writeSync } = process.getBuiltinModule("node:fs");
  let timer: NodeJS.Timeout;
  let failure: ProcessEnd;
  const interrupt = (limit: number) => {
    const session = new (process.getBuiltinModule("node:inspector").Session)();
    session.connectToMainThread();
    session.post("Runtime.evaluate", { expression: `globalThis[Symbol.for("${lateName}")](${limit})` });
    timer = setTimeout(endWaiting, 500, limit);
  };
  const endWaiting = (limit: number) => {
    timer = setTimeout(endProcess, 500, limit);
    for (const end of [endChildren, releasePipes]) {
      try {
        end();
      } catch {} // a child or a thread ended meanwhile
    }
  };
  const endChildren = () => {
    if (process.platform !== "linux") return;
    const read = (name: string) => readFileSync(`/proc/${name}`, "utf8");
    const sessionOf = (pid: string) => read(`${pid}/stat`).split(") ").pop()?.split(" ")[3];
    for (const pid of read(`self/task/${process.pid}/children`).match(/\d+/g) ?? [])
      if (sessionOf(pid) === sessionOf("self")) process.kill(Number(pid), "SIGKILL");
  };
  const endProcess = (limit: number) => {
    if (Atomics.exchange(ended, 0, limit) === limit) return;
    try {
      for (const [to, text] of failure.texts) write(to, text);
      const { WASI } = process.getBuiltinModule("node:wasi");
      const wasi = new WASI({ version: "preview1", returnOnExit: false });
      const { WebAssembly } = globalThis as unknown as Wasm;
      wasi.initialize({ exports: { memory: new WebAssembly.Memory({ initial: 1 }) } });
      (wasi.wasiImport as { proc_exit(code: number): void }).proc_exit(failure.exitCode);
    } finally {
      process.kill(process.pid, "SIGKILL");
    }
  };
  const write = (to: number | string, text: string) => {
    try {
      writeSync(typeof to === "number" ? to : openSync(to, appending, 0o600), text);
    } catch {} // a closed stream, a missing file: the exit code counts
  };
  parentPort?.on("message", (message: { ms: number; limit?: number; failure?: ProcessEnd }) => {
    if (message.failure !== undefined) failure = message.failure;
    if (message.failure !== undefined && message.limit === undefined) return;
    clearTimeout(timer);
    if (message.limit !== undefined) timer = setTimeout(interrupt, message.ms, message.limit);
  });
}

const threadCode = () => `(${watchThread})("${late.description}", ${openFlags.appending}, ${releaseBlockedPipes})`;
