import { workOff } from "../tasks/run-jobs.ts";
import type { BackendOptions, TaskBackend, TaskEnd, TaskRecord } from "../tasks/task-backend.ts";
import { memoryTasks } from "./memory-tasks.ts";

/** Runs every job in this process as soon as it is added: `ctx.tasks.add` resolves when the job has ended. */
export function immediateTasks(options: BackendOptions = {}): TaskBackend {
  const backend = memoryTasks(options);
  return { ...backend, wake: (call) => workOff({ ...call, backend }) };
}

/** Notes jobs and runs none; the test says how they end. */
export interface MockTasks extends TaskBackend {
  /** Every job that was ever added, in order, as it was then. */
  readonly added: readonly TaskRecord[];
  /** Contract: ends the newest open job of this key; throws when there is none. */
  complete(key: string, value: unknown): void;
  fail(key: string, message: string): void;
}

export function mockTasks(options: BackendOptions = {}): MockTasks {
  const backend = memoryTasks(options);
  const added: TaskRecord[] = [];
  const end = (key: string, how: TaskEnd) => {
    const job = added.findLast((one) => one.key === key);
    if (job === undefined || !backend.end(job.id, how)) throw new Error(`there is no open job under "${key}"`);
  };
  return {
    ...backend,
    added,
    async add(job) {
      const id = await backend.add(job);
      const record = await backend.get(job, job.key);
      if (record) added.push(record);
      return id;
    },
    complete: (key, value) => end(key, { state: "completed", value }),
    fail: (key, message) => end(key, { state: "failed", error: { code: "failed", message } }),
  };
}
