import { setTimeout as sleep } from "node:timers/promises";
import { type HeldLock, openFolder, takeLock } from "../../files/internal.ts";
import { defined } from "../../protocol/internal.ts";
import type { AppRuntime } from "../app/app-runtime.ts";
import { type LogRecord, loggerFor } from "../log/logger.ts";
import { defaultTasks, queueFolder, workerLock } from "./default-queue.ts";
import { hasPending, sweepDone } from "./job-files.ts";
import { runTaskWorker, type TaskWorkerOptions } from "./run-jobs.ts";
import type { TaskBackend } from "./task-backend.ts";

/** Options of `workTasks`. */
export interface WorkTasksOptions
  extends Pick<TaskWorkerOptions, "signal" | "idleMs" | "jobs" | "pollMs" | "outdated"> {
  /** The hooks file the app came from. */
  readonly file: string;
  /** The environment of the tasks. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** In place of the app's own backend. */
  readonly backend?: TaskBackend;
  /** Receives the log records of tasks. */
  readonly log?: (record: LogRecord) => void;
  /** Receives messages about trouble, line by line. Default: they are dropped. */
  readonly complain?: (line: string) => void;
}

export async function workTasks(app: AppRuntime, options: WorkTasksOptions): Promise<void> {
  const { file, env, log, complain = () => undefined, signal } = options;
  const target = { now: Date.now, complain, ...defined({ log }) };
  const logger = (task: string, session?: string) =>
    loggerFor(`task ${task}`, { event: "", task, ...defined({ session }) }, target);
  const { tasks } = app;
  const backend = options.backend ?? app.options.tasks;
  const call = { ...options, tasks, env, logger, backend: backend ?? defaultTasks({ file, env }) };
  if (backend !== undefined) return runTaskWorker(call);
  const folder = queueFolder(file, env);
  while (!signal.aborted) {
    const lock = await takeWorkerLock(folder, options);
    if (lock === undefined) return;
    try {
      await sweepDone(folder, Date.now());
      await runTaskWorker(call);
    } finally {
      await lock.release();
    }
    // Changed code may not be approved. The next hook that the host runs starts a worker for it.
    // A job that was added while this worker ended found its lock held and started no other worker.
    if (!(await hasPending(folder, tasks))) return;
    if (options.outdated?.() === true) {
      logger("worker").warn("The hooks file has changed. Remaining jobs wait for the next hook of the new version.");
      return;
    }
  }
}

/** A worker with an idle limit does not wait for the lock. One without waits until the other worker ends. */
async function takeWorkerLock(folder: string, { idleMs, signal }: WorkTasksOptions): Promise<HeldLock | undefined> {
  await openFolder(folder);
  while (!signal.aborted) {
    const lock = await takeLock(workerLock(folder), { waitMs: 200 });
    if (lock.held) return lock;
    if (idleMs !== undefined) return undefined;
    await sleep(1_000, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}
