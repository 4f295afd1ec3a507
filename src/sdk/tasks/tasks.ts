import { deferMethods, lazy, messageOf } from "../../protocol/internal.ts";
import type { Answer } from "../answer/answer.ts";
import { eventRule, isLegal } from "../answer/event-rules.ts";
import type { HookEvent } from "../app/hook-event.ts";
import { type Env, projectDirOf, type RunEnvironment } from "../app/run-environment.ts";
import { eventLogger } from "../log/logger.ts";
import type { TaskRef, TaskTable } from "./task.ts";
import type { TaskBackend, TaskFailure } from "./task-backend.ts";

/** A key, or the task whose own name is the key. */
export type TaskKey = string | TaskRef<unknown, unknown>;
type OutputOf<Key> = Key extends TaskRef<unknown, infer Output> ? Output : unknown;

/** Options of `ctx.tasks.add`. */
export interface AddOptions {
  /** Default: the task's name. Adding a key again replaces its job. */
  readonly key?: string;
  /** How long the result is kept after the end. Default: that of the task, else five minutes. */
  readonly ttlMs?: number;
  /** From -1,000 to 1,000; jobs with a higher number run first. Default: that of the task, else 0. */
  readonly priority?: number;
  /** `context`: the next event of the session that takes context brings the result to the model. */
  readonly deliver?: "context";
}

/** Options of `ctx.tasks.wait`, `waitAll` and `waitAny`. */
export interface WaitOptions {
  /** Default: as long as the handler may run. */
  readonly timeoutMs?: number;
}

/** What is known of a job. */
export type TaskResult<Output = unknown> = {
  readonly id: string;
  readonly key: string;
  readonly task: string;
  readonly addedAt: number;
} & (
  | { readonly state: "pending" | "running" }
  | { readonly state: "completed"; readonly value: Output; readonly endedAt: number }
  | { readonly state: "failed"; readonly error: TaskFailure; readonly endedAt: number }
  | { readonly state: "cancelled" | "expired"; readonly endedAt: number }
);

/** The result of a job that completed, with its value. */
export type CompletedTask<Output = unknown> = Extract<TaskResult<Output>, { state: "completed" }>;
/** The result of a job that failed, with its error. */
export type FailedTask = Extract<TaskResult, { state: "failed" }>;

/** `ctx.tasks`: work that continues after the hook process has ended. Jobs belong to the event's session. */
export interface Tasks {
  /** Gives the job's id once it outlives this process; it never waits for the job. */
  add<Input>(
    task: TaskRef<Input, unknown>,
    ...given: undefined extends Input ? [input?: NoInfer<Input>, options?: AddOptions] : [NoInfer<Input>, AddOptions?]
  ): Promise<string>;
  /** Looks and leaves it there. */
  get<Key extends TaskKey>(key: Key): Promise<TaskResult<OutputOf<Key>> | undefined>;
  /** A completed result, handed out once over all processes; undefined while there is none. */
  pop<Key extends TaskKey>(key: Key): Promise<CompletedTask<OutputOf<Key>> | undefined>;
  /** `pop` for all completed jobs. */
  popAll(): Promise<readonly CompletedTask[]>;
  /** The same for failed jobs. */
  popErrors(): Promise<readonly FailedTask[]>;
  /** True when `pop` would give something. */
  has(key: TaskKey): Promise<boolean>;
  /** A running job's signal is aborted. False when nothing was open under the key. */
  cancel(key: TaskKey): Promise<boolean>;
  /** Cancels all open jobs; returns how many. */
  cancelAll(): Promise<number>;
  /** The job once it has ended, however it ended, and leaves it there; undefined when time is up or there is no such job. */
  wait<Key extends TaskKey>(key: Key, options?: WaitOptions): Promise<TaskResult<OutputOf<Key>> | undefined>;
  /** One entry per key, in their order. */
  waitAll(keys: readonly TaskKey[], options?: WaitOptions): Promise<readonly (TaskResult | undefined)[]>;
  /** The first that ends. */
  waitAny(keys: readonly TaskKey[], options?: WaitOptions): Promise<TaskResult | undefined>;
}

/** The jobs of one event, shared by its handlers. */
export type TasksAccess = ReturnType<typeof lazyTasks>;

/** What the calls of `ctx.tasks` use. */
export interface TaskCallContext {
  readonly event: HookEvent;
  readonly environment: RunEnvironment;
  readonly table: TaskTable;
  readonly backend: () => Promise<TaskBackend>;
  /** Asks the backend for a worker, once per event: a worker that was just started has not registered yet. */
  readonly wake: (backend: TaskBackend) => Promise<void>;
}

/** A backend that cannot be reached does not keep a hook from ending for longer than this. */
const longestHoldMs = 5_000;

const taskMethods: readonly (keyof Tasks)[] = [
  ...(["add", "get", "pop", "popAll", "popErrors", "has"] as const),
  ...(["cancel", "cancelAll", "wait", "waitAll", "waitAny"] as const),
];

/** Nothing of tasks is loaded before the first call; an app without tasks never loads it. `own` is the app's own backend. */
export function lazyTasks(event: HookEvent, table: TaskTable, environment: RunEnvironment, own?: TaskBackend) {
  let waking: Promise<void> | undefined;
  const held: Promise<unknown>[] = [];
  const given = environment.tasks ?? own;
  const backend = lazy(async () => given ?? (await import("./default-queue.ts")).defaultTasks(environment));
  const wake = async (backend: TaskBackend) => {
    if (waking !== undefined) return;
    const { file, env } = environment;
    const logger = (task: string) => eventLogger(event, environment, `task ${task}`);
    const started = backend.wake({ tasks: table, file, env, cwd: projectDirOf(event, environment), logger });
    // Only its author knows what another backend does then, so the handler waits for it.
    if (given !== undefined) return started;
    waking = started.catch((error: unknown) => environment.complain(`No worker could be started: ${messageOf(error)}`));
  };
  /** Keeps the process alive until the call has ended, even if its handler does not wait for it. */
  const keepAlive = <Result>(work: Promise<Result>): Promise<Result> => {
    const ended = work.catch(() => undefined); // reported by the promise that the handler got
    held.push(Promise.race([ended, new Promise((done) => void setTimeout(done, longestHoldMs).unref())]));
    return work;
  };
  const call: TaskCallContext = { event, environment, table, backend, wake };
  return {
    forSpace(space = "", handler: { readonly signal: AbortSignal }): Tasks {
      const calls = deferMethods<Tasks>(taskMethods, async () => {
        // At the same time: every call needs both, and a hook process has loaded neither.
        const [{ taskCalls }] = await Promise.all([import("./task-calls.ts"), backend()]);
        return taskCalls(call, space, handler);
      });
      return {
        ...calls,
        // Async functions: a call that fails and is not awaited is still a rejection of its own.
        add: async (task, ...given) => keepAlive(calls.add(task, ...given)),
        cancel: async (key) => keepAlive(calls.cancel(key)),
        cancelAll: async () => keepAlive(calls.cancelAll()),
      };
    },
    /** The context for the model that this event delivers. */
    dueContext: async (): Promise<readonly Answer[]> => {
      if (table.size === 0 || environment.replay || !isLegal(eventRule(event.name), "context")) return [];
      if (given === undefined && environment.file === undefined) return [];
      return (await import("./default-queue.ts")).deliverResults(call, given === undefined);
    },
    /** Contract: settles when the process may end without a loss for the jobs that were added; never fails. */
    settled: async (): Promise<void> => {
      await Promise.all(held);
      await waking;
    },
  };
}

/** Whether a worker is running jobs of this hooks file, of any session. Jobs without a worker do not count. */
export async function hasOpenJobs(file: string, env: Env): Promise<boolean> {
  return (await import("./default-queue.ts")).hasOpenJobs(file, env);
}
