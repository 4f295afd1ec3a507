import { randomUUID } from "node:crypto";
import { tooMany } from "../tasks/limits.ts";
import {
  asSeen,
  type BackendOptions,
  backendDefaults,
  type Place,
  type TaskBackend,
  type TaskEnd,
  type TaskRecord,
  workerLost,
} from "../tasks/task-backend.ts";

interface Job {
  record: TaskRecord;
  lease?: string;
  leaseUntil?: number;
}

/** Jobs without files, for tests and replays. `end` settles a job that nobody runs. */
export interface MemoryTasks extends TaskBackend {
  end(id: string, end: TaskEnd): boolean;
}

export function memoryTasks(options: BackendOptions = {}): MemoryTasks {
  const { leaseMs, maxOpen } = { ...backendDefaults, ...options };
  const jobs = new Map<string, Job>();
  const { now } = Date;

  const at = (place: Place, key: string): Job | undefined =>
    [...jobs.values()].find(
      ({ record }) => record.session === place.session && record.space === place.space && record.key === key,
    );
  const settle = (job: Job, end: TaskEnd | { readonly state: "cancelled" }): void => {
    delete job.lease;
    if (end.state === "released") job.record = { ...job.record, state: "pending", begun: job.record.begun - 1 };
    else job.record = structuredClone({ ...job.record, ...end, endedAt: now() });
  };
  /** Jobs whose worker gave no sign for too long wait again, or have failed. */
  const recover = () => {
    for (const job of jobs.values()) {
      if (job.record.state !== "running" || (job.leaseUntil ?? 0) > now()) continue;
      delete job.lease;
      if (job.record.begun < job.record.attempts) job.record = { ...job.record, state: "pending" };
      else settle(job, { state: "failed", error: workerLost });
    }
  };
  const seen = ({ record }: Job): TaskRecord => asSeen(record, now());

  return {
    async add(job) {
      recover();
      const old = at(job, job.key);
      if (old) jobs.delete(old.record.id);
      const open = [...jobs.values()].filter(({ record }) => record.session === job.session && isOpen(record)).length;
      if (open >= maxOpen) throw tooMany(job.session, open);
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
      if (job === undefined || !isOpen(job.record)) return false;
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
      if (job === undefined || !isOpen(job.record)) return false;
      settle(job, end);
      return true;
    },
  };
}

function isOpen({ state }: TaskRecord): boolean {
  return state === "pending" || state === "running";
}
