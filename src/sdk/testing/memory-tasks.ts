import { randomUUID } from "node:crypto";
import { checkOptions } from "../app/argument-checks.ts";
import {
  type ScopeStore,
  type StateAccess,
  type StateDefaults,
  type StoredValues,
  type StoreName,
  stateAccess,
  stateScopes,
} from "../state/state.ts";
import { runAll } from "../tasks/run-jobs.ts";
import {
  type BackendOptions,
  backendOptions,
  endedRecord,
  isOpenJob,
  type JobScope,
  recoveredRecord,
  type TaskBackend,
  type TaskEnd,
  type TaskRecord,
  tooManyJobs,
  withExpiry,
} from "../tasks/task-backend.ts";

interface Job {
  record: TaskRecord;
  lease?: string;
  leaseUntil?: number;
}

/** Jobs without files, for tests and replays. `end` settles a job that no worker runs. */
export interface MemoryTasks extends TaskBackend {
  end(id: string, end: TaskEnd): boolean;
}

export function memoryTasks(options: BackendOptions = {}, of = "memoryTasks"): MemoryTasks {
  const { leaseMs, maxOpen } = backendOptions(options, of);
  const jobs = new Map<string, Job>();
  const { now } = Date;

  const at = (place: JobScope, key: string): Job | undefined =>
    [...jobs.values()].find(
      ({ record }) => record.session === place.session && record.space === place.space && record.key === key,
    );
  const settle = (job: Job, end: TaskEnd | { readonly state: "cancelled" }): void => {
    delete job.lease;
    job.record = structuredClone(endedRecord(job.record, end, now()));
  };
  /** Jobs whose worker sent no heartbeat for too long are pending again, or have failed. */
  const recover = () => {
    for (const job of jobs.values()) {
      if (job.record.state !== "running" || (job.leaseUntil ?? 0) > now()) continue;
      delete job.lease;
      job.record = recoveredRecord(job.record, now());
    }
  };
  const seen = ({ record }: Job): TaskRecord => withExpiry(record, now());

  return {
    async add(job) {
      recover();
      const old = at(job, job.key);
      if (old) jobs.delete(old.record.id);
      const open = [...jobs.values()].filter(
        ({ record }) => record.session === job.session && isOpenJob(record),
      ).length;
      if (open >= maxOpen) throw tooManyJobs(job.session, open);
      const id = randomUUID();
      jobs.set(id, { record: structuredClone({ ...job, id, state: "pending", addedAt: now(), begun: 0 }) });
      return id;
    },
    async get(place, key) {
      recover();
      const job = at(place, key);
      return job && seen(job);
    },
    async list(session) {
      recover();
      return [...jobs.values()].filter(({ record }) => record.session === session).map(seen);
    },
    async take(place, key, state) {
      recover();
      const job = at(place, key);
      if (job === undefined || seen(job).state !== state) return undefined;
      jobs.delete(job.record.id);
      return job.record;
    },
    async cancel(place, key) {
      const job = at(place, key);
      if (job === undefined || !isOpenJob(job.record)) return false;
      settle(job, { state: "cancelled" });
      return true;
    },
    wake: async () => undefined,
    async claim(names) {
      recover();
      const waiting = [...jobs.values()].filter(
        ({ record }) => record.state === "pending" && names.includes(record.task),
      );
      const [job] = waiting.sort((a, b) => b.record.priority - a.record.priority);
      if (job === undefined) return undefined;
      const lease = randomUUID();
      job.record = { ...job.record, state: "running", begun: job.record.begun + 1 };
      Object.assign(job, { lease, leaseUntil: now() + leaseMs });
      return { record: job.record, lease };
    },
    async beat({ record, lease }) {
      const job = jobs.get(record.id);
      if (job?.lease !== lease) return false;
      job.leaseUntil = now() + leaseMs;
      return true;
    },
    async finish({ record, lease }, end) {
      const job = jobs.get(record.id);
      if (job?.lease !== lease) return false;
      settle(job, end);
      return true;
    },
    close: async () => undefined,
    end(id, end) {
      const job = jobs.get(id);
      if (job === undefined || !isOpenJob(job.record)) return false;
      settle(job, end);
      return true;
    },
  };
}

/** Runs every job in this process as soon as it is added: `ctx.tasks.add` resolves when the job has ended. */
export function immediateTasks(options: BackendOptions = {}): TaskBackend {
  const backend = memoryTasks(options, "immediateTasks");
  return { ...backend, wake: (call) => runAll({ ...call, backend }) };
}

/** Records jobs and runs none; the test decides how they end. */
export interface MockTasks extends TaskBackend {
  /** Every job that was ever added, in order, as it was then. */
  readonly added: readonly TaskRecord[];
  /** Contract: ends the newest open job of this key; throws when there is none. */
  complete(key: string, value: unknown): void;
  /** Like `complete`, with an error. */
  fail(key: string, message: string): void;
}

/** A backend for background tasks that runs a job only when the test asks for it. */
export function mockTasks(options: BackendOptions = {}): MockTasks {
  const backend = memoryTasks(options, "mockTasks");
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

/** State without files, for tests and replays. */
export function memoryState(defaults: StateDefaults = {}, now: () => number = Date.now): StateAccess {
  checkOptions(defaults, stateScopes, "memoryState");
  const stores = new Map<string, ScopeStore>();
  return stateAccess(
    (scope: StoreName) => {
      const store = stores.get(scope) ?? memoryStore();
      stores.set(scope, store);
      return store;
    },
    defaults,
    now,
  );
}

/** Changes wait for each other, as they do on disk. */
function memoryStore(): ScopeStore {
  let entries: StoredValues = new Map();
  let last: Promise<unknown> = Promise.resolve();
  return {
    read: async () => new Map(entries),
    change(work) {
      const turn = last.then(async () => {
        const copy: StoredValues = new Map(structuredClone([...entries]));
        const result = await work(copy);
        entries = copy;
        return result;
      });
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}
