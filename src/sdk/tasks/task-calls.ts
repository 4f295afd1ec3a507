import { setTimeout as sleep } from "node:timers/promises";
import { monotonicMs } from "../../files/internal.ts";
import { defined, showValue } from "../../protocol/internal.ts";
import { maxTimerMs } from "../app/app-definition.ts";
import { checkOptions, sdkProblem, toJsonOrThrow, waitCheck } from "../app/argument-checks.ts";
import { projectDirOf } from "../app/run-environment.ts";
import type { TaskRef } from "./task.ts";
import {
  isOpenJob,
  type JobScope,
  maxTaskBytes,
  type NewJob,
  type TaskBackend,
  type TaskRecord,
} from "./task-backend.ts";
import type { AddOptions, TaskCallContext, TaskKey, TaskResult, Tasks, WaitOptions } from "./tasks.ts";

/** The calls of `ctx.tasks` for one handler. */
export function taskCalls(call: TaskCallContext, space: string, handler: { readonly signal: AbortSignal }): Tasks {
  const { event } = call;
  const place: JobScope = { session: event.sessionId ?? "", space };
  const mine = async (backend: TaskBackend) => (await backend.list(place.session)).filter((one) => one.space === space);
  const takeAll = async (state: "completed" | "failed") => {
    const backend = await call.backend();
    const taken: TaskRecord[] = [];
    for (const { key, state: now } of await mine(backend)) {
      const record = now === state ? await backend.take(place, key, state) : undefined;
      if (record !== undefined) taken.push(record);
    }
    return taken.map(resultOf);
  };
  const look = async (key: TaskKey) => (await call.backend()).get(place, keyOf(key));
  /** Reading a job that has not ended starts a worker: the last one may have died. */
  const ask = async (key: TaskKey) => {
    const record = await look(key);
    if (isOpen(record)) await call.wake(await call.backend());
    return record;
  };

  /** Polls with growing pauses: a wait must work for jobs that end in another process. */
  const until = async (keys: readonly TaskKey[], enough: "all" | "any", options: WaitOptions) => {
    checkOptions(options, ["timeoutMs"], "a wait for tasks", { own: [waitCheck] });
    const { timeoutMs } = options;
    const end = monotonicMs() + (timeoutMs ?? Number.POSITIVE_INFINITY);
    await call.wake(await call.backend());
    for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 1.5, 200)) {
      const records = await Promise.all(keys.map(look));
      const open = records.filter(isOpen).length;
      const done = enough === "all" ? open === 0 : open === 0 || records.some(hasEnded);
      const leftMs = end - monotonicMs();
      if (done || leftMs <= 0 || handler.signal.aborted) {
        return records.map((record) => (hasEnded(record) ? resultOf(record) : undefined));
      }
      await sleep(Math.min(pauseMs, leftMs), undefined, { signal: handler.signal }).catch(() => undefined);
    }
  };

  return {
    async add(task, ...[input, options = {}]) {
      const job = jobOf(call, place, task, input, options);
      const backend = await call.backend();
      const id = await backend.add(job);
      await call.wake(backend);
      return id;
    },
    async get(key) {
      const record = await ask(key);
      return (record && resultOf(record)) as never;
    },
    async pop(key) {
      const taken = await (await call.backend()).take(place, keyOf(key), "completed");
      if (taken === undefined) await ask(key);
      return (taken && resultOf(taken)) as never;
    },
    popAll: async () => (await takeAll("completed")) as never,
    popErrors: async () => (await takeAll("failed")) as never,
    has: async (key) => (await ask(key))?.state === "completed",
    cancel: async (key) => (await call.backend()).cancel(place, keyOf(key)),
    async cancelAll() {
      const backend = await call.backend();
      const open = (await mine(backend)).filter(isOpen);
      return (await Promise.all(open.map(({ key }) => backend.cancel(place, key)))).filter(Boolean).length;
    },
    wait: async (key, options = {}) => (await until([key], "all", options))[0] as never,
    waitAll: (keys, options = {}) => until(keys, "all", options),
    waitAny: async (keys, options = {}) => (await until(keys, "any", options)).find((result) => result !== undefined),
  };
}

const addOptions: readonly (keyof AddOptions)[] = ["key", "ttlMs", "priority", "deliver"];

function jobOf(
  call: TaskCallContext,
  place: JobScope,
  task: TaskRef<unknown, unknown>,
  input: unknown,
  add: AddOptions,
): NewJob {
  const definition = call.table.get(task?.name);
  if (definition === undefined) {
    const given =
      task?.name === undefined
        ? `tasks.add takes a task, not ${showValue(task)}.`
        : `The app has no task called "${task.name}".`;
    const message = `${given} Register it with app.task(name, function) and pass what that returns.`;
    throw sdkProblem("unknown-task", message, { known: [...call.table.keys()] });
  }
  checkOptions(add, addOptions, `tasks.add for task ${definition.name}`);
  const { options } = definition;
  return {
    ...place,
    task: definition.name,
    key: keyOf(add.key ?? task.key),
    input: checkedInput(input, definition.name),
    priority: Math.round(within(-1_000, 1_000, add.priority ?? options.priority, 0)),
    ttlMs: within(0, Number.MAX_SAFE_INTEGER, add.ttlMs ?? options.ttlMs, 300_000),
    timeoutMs: within(0, maxTimerMs, options.timeoutMs, 600_000),
    attempts: within(1, Number.MAX_SAFE_INTEGER, options.attempts, 1),
    ...defined({ deliver: add.deliver }),
    cwd: call.event.cwd ?? call.environment.cwd,
    projectDir: projectDirOf(call.event, call.environment),
  };
}

/** A job is kept as JSON, which has neither `Infinity` nor `NaN`. */
function within(least: number, most: number, given: number | undefined, usual: number): number {
  return given === undefined || Number.isNaN(given) ? usual : Math.max(least, Math.min(most, given));
}

function checkedInput(input: unknown, task: string): unknown {
  const text = toJsonOrThrow(input, (why, cause) =>
    sdkProblem("task-not-json", `The input for task "${task}" is not valid JSON: ${why}`, { task }, cause),
  );
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxTaskBytes) return JSON.parse(text) as unknown;
  const message = `The input for task "${task}" has ${bytes} bytes; the limit is ${maxTaskBytes}. Put it into a file and pass the path.`;
  throw sdkProblem("task-too-large", message, { task, bytes });
}

function keyOf(key: TaskKey): string {
  return typeof key === "object" ? key.key : String(key);
}

function isOpen(record: TaskRecord | undefined): boolean {
  return record !== undefined && isOpenJob(record);
}

function hasEnded(record: TaskRecord | undefined): record is TaskRecord {
  return record !== undefined && !isOpenJob(record);
}

function resultOf({ id, key, task, addedAt, state, endedAt, value, error }: TaskRecord): TaskResult {
  return {
    ...defined({ id, key, task, addedAt, state, endedAt }),
    ...(state === "completed" ? { value } : {}),
    ...(state === "failed" ? { error } : {}),
  } as TaskResult;
}
