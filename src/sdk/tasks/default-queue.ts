import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  syncBackedFs as fs,
  ignoringErrors,
  livenessOf,
  openState,
  type ProcessIdentity,
  packageFile,
  statePath,
  takeLock,
} from "../../files/internal.ts";
import { messageOf } from "../../protocol/internal.ts";
import type { Answer } from "../answer/answer.ts";
import { appKey } from "../app/app-runtime.ts";
import { sdkProblem } from "../app/argument-checks.ts";
import type { Env, RunEnvironment } from "../app/run-environment.ts";
import { startDetached } from "../run/detached-process.ts";
import { queueTasks } from "./file-queue.ts";
import { hasOpen, hasPending, jobNames, readJob, sessionHash } from "./job-files.ts";
import { backendDefaults, type TaskBackend, type TaskRecord, type WorkerRequest } from "./task-backend.ts";
import type { TaskCallContext } from "./tasks.ts";

/** The backend of an app that names none: files in the user's state folder, and a worker that is started when there is work. */
export function defaultTasks(environment: Pick<RunEnvironment, "env" | "file">): TaskBackend {
  if (environment.file === undefined) {
    const wayOut = "Give createApp a `tasks` backend, or the test client one of its own.";
    throw sdkProblem("no-tasks", `There is no hooks file here that a worker could run tasks from. ${wayOut}`);
  }
  const { file, env } = environment;
  return queueTasks(queueFolder(file, env), {
    prepare: () => openState(["tasks", appKey(file)], { env }, fs),
    wake: startWorker,
  });
}

/** Jobs of one hooks file are in one folder: a worker for them needs its code. */
export function queueFolder(file: string, env: Env): string {
  return join(statePath({ env }), "tasks", appKey(file));
}

/**
 * The results of jobs that were added with `deliver: "context"`, each once over all processes.
 * Contract: never throws; what cannot be delivered now is reported and stays.
 */
export async function deliverResults(call: TaskCallContext, onDisk: boolean): Promise<readonly Answer[]> {
  const { environment, event } = call;
  const session = event.sessionId ?? "";
  try {
    if (onDisk) {
      const folder = queueFolder(environment.file ?? "", environment.env);
      // A worker ends when the hooks file changes, and only a hook starts the next one: the host has let the file run as it is now.
      if (jobNames(folder, "pending").length > 0) await call.wake(await call.backend());
      const hash = sessionHash(session);
      if (!jobNames(folder, "done").some((name) => name.session === hash)) return [];
    }
    const backend = await call.backend();
    const answers: Answer[] = [];
    for (const record of await backend.list(session)) {
      const { state, key } = record;
      if (record.deliver !== "context" || (state !== "completed" && state !== "failed")) continue;
      const taken = await backend.take(record, key, state);
      if (taken !== undefined) answers.push({ kind: "context", text: textOf(taken) });
    }
    return answers;
  } catch (error) {
    environment.complain(`Results of background tasks could not be delivered: ${messageOf(error)}`);
    return [];
  }
}

function textOf({ key, state, value, error }: TaskRecord): string {
  if (state === "failed") return `Background task ${key} failed: ${error?.message ?? "unknown error"}`;
  return `Background task ${key} has finished:\n${typeof value === "string" ? value : JSON.stringify(value, null, 2)}`;
}

/** Starts a worker for a queue unless one runs or there is nothing to do. It outlives this process and holds nothing of it. */
async function startWorker(folder: string, { tasks, file, env, cwd, logger }: WorkerRequest): Promise<void> {
  if (file === undefined) return;
  // A running job without a worker is one whose worker died. A job whose task the app no longer has does not count: every event would
  // start a worker for it, which would end at once.
  if (jobNames(folder, "running").length === 0 && !(await hasPending(folder, tasks))) return;
  const owner = await workerOf(folder);
  if (owner === "unknown") return;
  if (owner !== undefined) {
    if (!(await isStuck(folder, owner))) return;
    logger("worker").error("A task held the worker's thread for too long; the worker was ended.");
    process.kill(owner.pid, "SIGKILL");
  }
  const onError = (error: Error) => logger("worker").error(`It could not be started: ${error.message}`);
  startDetached([packageFile("dist/sdk/tasks/background-program.cjs"), "work", file], { cwd, env, onError });
}

/** The lock a worker holds as long as it works. */
export function workerLock(folder: string): string {
  return join(folder, "worker");
}

/** Whether a worker is running jobs of this hooks file, of any session. Jobs without a worker do not count. */
export async function hasOpenJobs(file: string, env: Env): Promise<boolean> {
  const folder = queueFolder(file, env);
  return hasOpen(folder) && (await workerOf(folder)) !== undefined;
}

/** The worker of a queue; undefined when there is none. */
async function workerOf(folder: string): Promise<ProcessIdentity | "unknown" | undefined> {
  const lock = await takeLock(workerLock(folder), { fs, waitMs: 0 });
  if (!lock.held) return lock.owner ?? "unknown";
  await lock.release();
  return undefined;
}

/**
 * A task that blocks the thread cannot be aborted, and its worker sends no heartbeat and takes no jobs.
 * Contract: true only for another process of this machine that is certainly alive. A machine that just woke up gets a moment.
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
