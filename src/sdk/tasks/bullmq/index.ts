import { randomUUID } from "node:crypto";
import { Problem } from "../../../protocol/internal.ts";
import { requireOptions } from "../../app/argument-checks.ts";
import {
  type BackendOptions,
  backendOptions,
  type ClaimedJob,
  endedRecord,
  isOpenJob,
  recoveredRecord,
  type TaskBackend,
  type TaskRecord,
  tooManyJobs,
  withExpiry,
} from "../task-backend.ts";
import {
  type JobEntries,
  type JobEntry,
  loadBullmq,
  openEntries,
  openQueues,
  type Queues,
  type Redis,
  type RunningJob,
} from "./redis-jobs.ts";

/** Options of `bullmqTasks`. */
export interface BullmqOptions extends BackendOptions {
  /** A URL, or the options of an ioredis client. */
  readonly connection: string | Readonly<Record<string, unknown>>;
  /** The prefix of every key. Default: `hookline`. Apps with the same prefix share their jobs. */
  readonly prefix?: string;
}

/** A backend whose jobs several machines share. Somebody must work on them: `workTasks` of `hookline/sdk`. */
export type BullmqTasks = TaskBackend;

/**
 * Jobs in Redis. BullMQ keeps the queues: order, leases, and jobs whose worker has exited. What a session asks about its jobs, and the
 * results, are in a separate hash, because a queue cannot be queried by session and key.
 */
export function bullmqTasks(options: BullmqOptions): BullmqTasks {
  const { leaseMs, maxOpen } = backendOptions(options, "bullmqTasks", ["connection", "prefix"]);
  requireOptions(options, ["connection"], "bullmqTasks");
  const { connection, prefix = "hookline" } = options;
  const running = new Map<string, RunningJob>();
  let opened: Promise<{ entries: JobEntries; queues: Queues; close(): Promise<void> }> | undefined;
  const open = () => {
    opened ??= connect().catch((cause: unknown) => {
      opened = undefined; // a worker that is started before its server tries again
      throw cause;
    });
    return opened;
  };
  const connect = async () => {
    const { bullmq, Redis: Client } = await loadBullmq();
    // A hook must not wait for a server that is down.
    const own = { connectTimeout: 2_000, maxRetriesPerRequest: 1 };
    const redis = typeof connection === "string" ? new Client(connection, own) : new Client({ ...connection, ...own });
    let why = "";
    // Every command tells of its own failure; without a listener the client would print them as well.
    redis.on("error", ({ message, code }: NodeJS.ErrnoException) => {
      why = message || String(code);
    });
    await redis.ping().catch((cause: Error) => {
      redis.disconnect();
      throw noRedis(redis.options, why || cause.message, cause);
    });
    const queues = openQueues(bullmq, redis, { prefix, leaseMs });
    const close = async () => {
      await queues.close();
      redis.disconnect();
    };
    return { entries: openEntries(redis, prefix), queues, close };
  };

  /** The job as it is handed to a worker; undefined when it must not run, because its entry says otherwise. */
  const begin = async (job: RunningJob, entries: JobEntries): Promise<ClaimedJob | undefined> => {
    const { session, space, key } = job.about;
    const done = await entries.change({ session, space }, key, (entry) => {
      if (entry?.id !== job.id || !isOpenJob(entry)) return undefined;
      if (entry.begun < entry.attempts) return { ...entry, state: "running", begun: entry.begun + 1, lease: job.lease };
      return recoveredRecord(unleased(entry), Date.now());
    });
    if (done?.after?.state !== "running") return undefined;
    running.set(job.lease, job);
    return { record: recordOf(done.after), lease: job.lease };
  };

  return {
    async add(job) {
      const { entries, queues } = await open();
      const openJobs = (await entries.list(job.session)).filter(
        (one) => isOpenJob(one) && (one.key !== job.key || one.space !== job.space),
      ).length;
      if (openJobs >= maxOpen) throw tooManyJobs(job.session, openJobs);
      const id = randomUUID();
      const order = await entries.nextOrder();
      const entry: JobEntry = { ...job, id, order, state: "pending", addedAt: Date.now(), begun: 0 };
      const done = await entries.change(job, job.key, () => entry);
      await queues.add(entry);
      if (done?.before && isOpenJob(done.before)) await queues.remove(done.before);
      return id;
    },
    async get(place, key) {
      const entry = await (await open()).entries.get(place, key);
      return entry && withExpiry(recordOf(entry), Date.now());
    },
    async list(session) {
      return (await (await open()).entries.list(session)).map((entry) => withExpiry(recordOf(entry), Date.now()));
    },
    async take(place, key, state) {
      const done = await (await open()).entries.change(place, key, (entry) =>
        entry && withExpiry(entry, Date.now()).state === state ? null : undefined,
      );
      return done?.before && recordOf(done.before);
    },
    async cancel(place, key) {
      const { entries, queues } = await open();
      const done = await entries.change(place, key, (entry) =>
        entry && isOpenJob(entry) ? endedRecord(unleased(entry), { state: "cancelled" }, Date.now()) : undefined,
      );
      if (done?.before) await queues.remove(done.before);
      return done !== undefined;
    },
    wake: async () => undefined,
    async claim(names) {
      const { entries, queues } = await open();
      for (let job = await queues.next(names); job !== undefined; job = await queues.next(names)) {
        const claim = await begin(job, entries);
        if (claim !== undefined) return claim;
        await job.drop();
      }
      return undefined;
    },
    async beat({ record, lease }) {
      const { entries } = await open();
      const entry = await entries.get(record, record.key);
      if (entry?.lease !== lease || entry.state !== "running") return false;
      return (await running.get(lease)?.extend()) === true;
    },
    async finish({ record, lease }, end) {
      const { entries } = await open();
      const job = running.get(lease);
      running.delete(lease);
      const done = await entries.change(record, record.key, (entry) => {
        if (entry?.lease !== lease || entry.state !== "running") return undefined;
        return endedRecord(unleased(entry), end, Date.now());
      });
      if (done && end.state === "released") await job?.giveBack();
      else await job?.drop();
      return done !== undefined;
    },
    close: async () => (await opened)?.close(),
  };
}

/** Names host and port, and never the whole URL, which may hold a password. */
function noRedis(at: Redis["options"], why: string, cause: Error): Problem {
  const where = at.path ?? `${at.host}:${at.port}`;
  const message = `No connection to Redis at ${where}, so there are no background tasks: ${why}. Start it, or change connection of bullmqTasks.`;
  return new Problem("sdk/no-tasks", message, { about: { where }, cause });
}

function unleased({ lease: _lease, ...entry }: JobEntry): JobEntry {
  return entry;
}

function recordOf({ lease: _lease, order: _order, ...record }: JobEntry): TaskRecord {
  return record;
}
