import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../protocol/internal.ts";
import { toJsonOrThrow } from "../app/argument-checks.ts";
import type { Logger } from "../log/logger.ts";
import { withTimeout } from "../run/handler-deadline.ts";
import type { TaskDefinition, TaskTable } from "./task.ts";
import { type ClaimedJob, maxTaskBytes, type TaskBackend, type TaskEnd } from "./task-backend.ts";

export interface WorkOptions {
  readonly backend: TaskBackend;
  readonly tasks: TaskTable;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logger: (task: string, session?: string) => Logger;
}

export interface TaskWorkerOptions extends WorkOptions {
  /** Ends the worker: running jobs are aborted and given back. */
  readonly signal: AbortSignal;
  /** Ends the worker after this long without work. Default: never. */
  readonly idleMs?: number;
  /** How many jobs run at once. Default: 4. */
  readonly jobs?: number;
  /** How often it looks for jobs and checks for cancellation. Default: 100. */
  readonly pollMs?: number;
  /** Asked before every job: true ends the worker, as its code is out of date. */
  readonly outdated?: () => boolean;
}

/** Runs jobs one after another until there is none left. */
export async function runAll(options: WorkOptions): Promise<void> {
  const names = [...options.tasks.keys()];
  const never = new AbortController().signal;
  for (let claim = await options.backend.claim(names); claim; claim = await options.backend.claim(names)) {
    await runJob(claim, { ...options, signal: never });
  }
}

/** Takes jobs as they come. Contract: resolves once it has ended and nothing of it runs any more. */
export async function runTaskWorker(options: TaskWorkerOptions): Promise<void> {
  const { tasks, signal, idleMs = Number.POSITIVE_INFINITY, jobs = 4, pollMs = 100, outdated } = options;
  const names = [...tasks.keys()];
  const running = new Set<Promise<void>>();
  let busyAt = performance.now();
  const next = claims(options);
  while (!signal.aborted && outdated?.() !== true) {
    const claim = running.size < jobs ? await next(names) : undefined;
    if (claim !== undefined) {
      const run = runJob(claim, options).finally(() => running.delete(run));
      running.add(run);
    } else {
      await Promise.race([...(running.size < jobs ? [] : running), pause(pollMs, signal)]);
    }
    if (claim !== undefined || running.size > 0) busyAt = performance.now();
    else if (performance.now() - busyAt >= idleMs) break;
  }
  await Promise.allSettled(running);
}

/** A backend that cannot be reached is reported once and tried again: a worker survives the restart of a server. */
function claims({ backend, logger, signal }: TaskWorkerOptions): TaskBackend["claim"] {
  let broken = false;
  return async (names) => {
    try {
      const claim = await backend.claim(names);
      broken = false;
      return claim;
    } catch (error) {
      if (!broken) logger("worker").error(`Cannot fetch jobs: ${messageOf(error)}`);
      broken = true;
      await pause(1_000, signal);
      return undefined;
    }
  };
}

type RunOptions = WorkOptions & Pick<TaskWorkerOptions, "signal" | "pollMs">;

/** One job from claim to finish. Contract: resolves, whatever the task does. */
async function runJob(claim: ClaimedJob, options: RunOptions): Promise<void> {
  const { backend, logger, signal: outer, pollMs = 100 } = options;
  const { record } = claim;
  const own = new AbortController();
  const stop = () => own.abort(outer.reason);
  outer.addEventListener("abort", stop, { once: true });
  const over = new AbortController();
  // Renews the lease while the job runs; aborts the job when another worker owns it.
  const watch = async (): Promise<void> => {
    for (;;) {
      await pause(pollMs, over.signal);
      if (over.signal.aborted) return;
      try {
        if (await backend.beat(claim)) continue;
        own.abort(new Error("the job was cancelled, replaced or given to another worker"));
        return;
      } catch {
        // A backend that cannot be reached now may be again before the lease is over; if not, the finish is refused.
      }
    }
  };
  const watched = watch();
  try {
    // The worker may have been stopped while it waited for the job.
    if (outer.aborted) return void (await backend.finish(claim, { state: "released" }));
    const end = await inTime(run(claim, options, own.signal), record.timeoutMs, own);
    if (end.state === "failed" && !outer.aborted)
      logger(record.task, record.session).error(end.error.message, { key: record.key });
    await backend.finish(claim, outer.aborted && end.state === "failed" ? { state: "released" } : end);
  } catch (error) {
    logger(record.task, record.session).error(`The result could not be saved: ${messageOf(error)}`, {
      key: record.key,
    });
  } finally {
    over.abort();
    outer.removeEventListener("abort", stop);
    await watched;
  }
}

async function run({ record }: ClaimedJob, options: RunOptions, signal: AbortSignal): Promise<TaskEnd> {
  const { run: task } = options.tasks.get(record.task) as TaskDefinition;
  const { id, key, session, cwd, projectDir, begun: attempt } = record;
  const log = options.logger(record.task, record.session);
  try {
    const context = { signal, log, cwd, projectDir, env: options.env, id, key, session, attempt };
    return completed(await task(record.input as never, context), record.task);
  } catch (error) {
    return { state: "failed", error: { code: "failed", message: messageOf(error) } };
  }
}

function completed(value: unknown, task: string): TaskEnd {
  let text: string;
  try {
    text = toJsonOrThrow(
      value,
      (why) => new TypeError(`task "${task}" returned a value that is not valid JSON: ${why}`),
    );
  } catch (error) {
    return { state: "failed", error: { code: "result-not-json", message: messageOf(error) } };
  }
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxTaskBytes) return { state: "completed", value: JSON.parse(text) as unknown };
  const message = `task "${task}" returned ${bytes} bytes; the limit is ${maxTaskBytes}. Put it into a file and return its path`;
  return { state: "failed", error: { code: "result-too-large", message } };
}

/** Contract: settles soon after the time is up or the signal aborts, even if the task ignores its signal. */
function inTime(work: Promise<TaskEnd>, ms: number, own: AbortController): Promise<TaskEnd> {
  const aborted = new Promise<TaskEnd>((resolve) => {
    own.signal.addEventListener("abort", () => {
      // A task gets 250 ms to end by itself; then it is abandoned.
      setTimeout(() => resolve({ state: "failed", error: { code: "failed", message: "the job was aborted" } }), 250);
    });
  });
  return withTimeout(Promise.race([work, aborted]), ms, (): TaskEnd => {
    const message = `timed out after ${ms} ms`;
    own.abort(new Error(message));
    return { state: "failed", error: { code: "timed-out", message } };
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal }).catch(() => undefined);
}
