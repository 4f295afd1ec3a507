import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  syncBackedFs as fs,
  ignoringErrors,
  livenessOf,
  type ProcessIdentity,
  packageFile,
  takeLock,
} from "../../files/internal.ts";
import { startDetached } from "../run/detached-process.ts";
import { hasPending, jobNames, readJob } from "./job-files.ts";
import type { TaskTable } from "./task.ts";
import { backendDefaults, type WorkerRequest } from "./task-backend.ts";

/** Starts a worker for a queue unless one runs or there is nothing to do. It outlives this process and holds nothing of it. */
export async function startWorker(folder: string, { tasks, file, env, cwd, logger }: WorkerRequest): Promise<void> {
  if (file === undefined || !(await isWork(folder, tasks))) return;
  const owner = await workerOf(folder);
  if (owner === "unknown") return;
  if (owner !== undefined) {
    if (!(await isStuck(folder, owner))) return;
    logger("worker").error("A task held the worker's thread for too long; the worker was ended.");
    process.kill(owner.pid, "SIGKILL");
  }
  startDetached([packageFile("dist/sdk/tasks/background-program.js"), "work", file], {
    cwd,
    env,
    onError: (error) => logger("worker").error(`It could not be started: ${error.message}`),
  });
}

/** The lock a worker holds as long as it works. */
export function workerLock(folder: string): string {
  return join(folder, "worker");
}

/**
 * A running job of which nobody takes care is one whose worker died. A job whose task the app does not have any more is nobody's work:
 * for its sake a worker would be started with every event, and leave again.
 */
async function isWork(folder: string, tasks: TaskTable): Promise<boolean> {
  return jobNames(folder, "running").length > 0 || hasPending(folder, tasks);
}

/** Who works on the queue; undefined when nobody does. */
async function workerOf(folder: string): Promise<ProcessIdentity | "unknown" | undefined> {
  const lock = await takeLock(workerLock(folder), { fs, waitMs: 0 });
  if (!lock.held) return lock.owner ?? "unknown";
  await lock.release();
  return undefined;
}

/**
 * A task that never lets go of the thread cannot be aborted, and its worker gives no signs and takes no jobs.
 * Contract: true only for another process of this machine that is surely alive. A machine that just woke up is given a moment.
 */
async function isStuck(folder: string, owner: ProcessIdentity): Promise<boolean> {
  if (owner.pid === process.pid || livenessOf(owner) !== "alive" || !(await isSilent(folder, owner))) return false;
  await sleep(500);
  return (await isSilent(folder, owner)) && livenessOf(owner) === "alive";
}

async function isSilent(folder: string, { pid, start }: ProcessIdentity): Promise<boolean> {
  for (const { file } of jobNames(folder, "running")) {
    const path = join(folder, "running", file);
    const beatAt = (await ignoringErrors(["ENOENT"], fs.lstat(path)))?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (beatAt + backendDefaults.leaseMs > Date.now()) continue;
    const job = await readJob(path);
    if (job?.owner?.pid === pid && job.owner.start === start) return true;
  }
  return false;
}
