import { defined } from "../../protocol/internal.ts";
import { checkOptions, sdkProblem } from "../app/argument-checks.ts";
import type { Logger } from "../log/logger.ts";
import type { TaskTable } from "./task.ts";

/** The state of a job. */
export type TaskState = "pending" | "running" | "completed" | "failed" | "cancelled" | "expired";

/** The reason why a job failed. */
export interface TaskFailure {
  /** `failed`: it threw. `worker-lost`: every worker that had it died. */
  readonly code: "failed" | "timed-out" | "worker-lost" | "result-not-json" | "result-too-large";
  /** For users. */
  readonly message: string;
}

/** Whose jobs are meant: a session's, and in it those of one blueprint or strategy (`""`: of the app itself). */
export interface JobScope {
  /** The id of the session. */
  readonly session: string;
  /** The blueprint or strategy; empty for the app. */
  readonly space: string;
}

/** A job as it is handed to a backend. Everything is JSON. */
export interface NewJob extends JobScope {
  /** The name of the task. */
  readonly task: string;
  /** Names the job within its scope. */
  readonly key: string;
  /** For the task; JSON. */
  readonly input: unknown;
  /** Higher ones first. */
  readonly priority: number;
  /** How long the result is kept. */
  readonly ttlMs: number;
  /** The limit of one try. */
  readonly timeoutMs: number;
  /** How often it is tried. */
  readonly attempts: number;
  /** `context`: the agent gets the result at its next event. */
  readonly deliver?: "context";
  /** The directory of the event. */
  readonly cwd: string;
  /** Its project. */
  readonly projectDir: string;
}

/** A job as a backend keeps it. */
export interface TaskRecord extends NewJob {
  /** The id of the job. */
  readonly id: string;
  /** How far it is. */
  readonly state: TaskState;
  /** In ms since 1970. */
  readonly addedAt: number;
  /** How often it was begun. */
  readonly begun: number;
  /** In ms since 1970. */
  readonly endedAt?: number;
  /** Of a completed job. */
  readonly value?: unknown;
  /** Of a failed one. */
  readonly error?: TaskFailure;
}

/** A running job of one worker. */
export interface ClaimedJob {
  /** The job. */
  readonly record: TaskRecord;
  /** Never reused: it identifies reports of a worker that has lost the job. */
  readonly lease: string;
}

/** How a run ended. `released`: not at all; the job goes back and the try does not count. */
export type TaskEnd =
  | { readonly state: "completed"; readonly value: unknown }
  | { readonly state: "failed"; readonly error: TaskFailure }
  | { readonly state: "released" };

/** What a backend may need to start a worker. */
export interface WorkerRequest {
  /** The tasks of the app. */
  readonly tasks: TaskTable;
  /** The hooks file; undefined where there is none, as in a test. */
  readonly file: string | undefined;
  /** The environment of the event. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The directory of the event. */
  readonly cwd: string;
  /** The log of a task. */
  readonly logger: (task: string) => Logger;
}

/**
 * Where jobs are kept and how workers get them. Every call is one atomic step over all processes and machines that share the backend;
 * `taskBackendClaims` of `hookline/testing` lists what must hold.
 */
export interface TaskBackend {
  /** Keeps a job; resolves once it outlives this process. A job of the same key is replaced, a running one aborted. */
  add(job: NewJob): Promise<string>;
  /** The newest job of a key. */
  get(place: JobScope, key: string): Promise<TaskRecord | undefined>;
  /** All jobs of a session, of every space, in the order they were added. */
  list(session: string): Promise<readonly TaskRecord[]>;
  /** Contract: returns a job with this end once and removes it. */
  take(place: JobScope, key: string, state: "completed" | "failed"): Promise<TaskRecord | undefined>;
  /** False when there was nothing to cancel. */
  cancel(place: JobScope, key: string): Promise<boolean>;
  /** Called after `add`, and while a handler waits: starts a worker, if the backend does that. */
  wake(call: WorkerRequest): Promise<void>;
  /** The next job whose task is among `names`, by priority, then by age. A job whose worker has exited counts as the next one. */
  claim(names: readonly string[]): Promise<ClaimedJob | undefined>;
  /** Keeps the lease. False: the job is not this worker's any more, because it was cancelled, replaced or given to another. */
  beat(claim: ClaimedJob): Promise<boolean>;
  /** False, and nothing happens, when the job is not this worker's any more. */
  finish(claim: ClaimedJob, end: TaskEnd): Promise<boolean>;
  /** Releases connections and timers. */
  close(): Promise<void>;
}

/** Options that every task backend accepts. */
export interface BackendOptions {
  /** A worker without a heartbeat for this long loses its job. Default: 30 s. */
  readonly leaseMs?: number;
  /** The limit of open jobs in one session. Default: 1,000. */
  readonly maxOpen?: number;
}

export const backendDefaults: Required<BackendOptions> = { leaseMs: 30_000, maxOpen: 1_000 };

/** The options of a backend with their defaults. `more` are its own options. Throws for any other, and for a wrong value. */
export function backendOptions(
  options: BackendOptions,
  of: string,
  more: readonly string[] = [],
): Required<BackendOptions> {
  checkOptions(options, [...Object.keys(backendDefaults), ...more], of);
  return { ...backendDefaults, ...defined(options) };
}

export function isOpenJob({ state }: Pick<TaskRecord, "state">): boolean {
  return state === "pending" || state === "running";
}

/** A finished job whose time is over has no result any more. */
export function withExpiry(record: TaskRecord, now: number): TaskRecord {
  if (record.endedAt === undefined || now < record.endedAt + record.ttlMs) return record;
  const { value: _value, error: _error, ...rest } = record;
  return { ...rest, state: "expired" };
}

/** The record of a job whose run has ended. A released job is pending again, and the attempt does not count. */
export function endedRecord<Record extends TaskRecord>(
  record: Record,
  end: TaskEnd | { readonly state: "cancelled" },
  now: number,
): Record {
  if (end.state === "released") return { ...record, state: "pending", begun: record.begun - 1 };
  return { ...record, ...end, endedAt: now };
}

/** The record of a job whose worker has exited: pending again while attempts are left, else failed. */
export function recoveredRecord<Record extends TaskRecord>(record: Record, now: number): Record {
  if (record.begun < record.attempts) return { ...record, state: "pending" };
  const error = { code: "worker-lost", message: "the worker that ran it ended before it did" } as const;
  return endedRecord(record, { state: "failed", error }, now);
}

/** Inputs and results beyond this are files, not messages. */
export const maxTaskBytes: number = 2 ** 20;

/** A session that adds without end is stopped before the disk is full. */
export function tooManyJobs(session: string, open: number): Error {
  const message = `The session has ${open} open jobs, which is the limit. Wait for some, or add under one key: a key that is added again replaces its job.`;
  return sdkProblem("too-many-tasks", message, { session, open });
}
