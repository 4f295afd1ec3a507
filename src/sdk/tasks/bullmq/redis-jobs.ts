import { createHash, randomUUID } from "node:crypto";
import type { Job, Queue, Worker } from "bullmq";
import { loadPackage } from "../../../protocol/internal.ts";
import type { JobScope, TaskRecord } from "../task-backend.ts";

/** A job as Redis holds it. `lease` is its worker's, `order` the place in which it was added. */
export interface JobEntry extends TaskRecord {
  readonly lease?: string;
  readonly order: number;
}

export type JobEntries = ReturnType<typeof openEntries>;

const keepSeconds = 30 * 24 * 3600;

/** Compares with what was read, so that no step is lost between two machines. */
const swap = `
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
redis.call('EXPIRE', KEYS[1], ${keepSeconds})
return 1`;

/** The jobs of every session, one hash per session, one field per key: what is asked about a job is answered from here. */
export function openEntries(redis: Redis, prefix: string) {
  const hashOf = (session: string) => `${prefix}:session:${hashed(session)}`;
  const fieldOf = ({ space }: JobScope, key: string) => hashed(JSON.stringify([space, key]));
  const read = (text: string | null) => (text === null ? undefined : (JSON.parse(text) as JobEntry));
  return {
    get: async (place: JobScope, key: string) => read(await redis.hget(hashOf(place.session), fieldOf(place, key))),
    async list(session: string): Promise<readonly JobEntry[]> {
      const entries = (await redis.hvals(hashOf(session))).map((text) => JSON.parse(text) as JobEntry);
      return entries.sort((a, b) => a.order - b.order);
    },
    /**
     * One atomic step: `step` gives the new entry, `null` to remove it, or undefined to leave it as it is; then so does this.
     * Contract: `step` is called again when another process was faster. Gives the entry before and after.
     */
    async change(place: JobScope, key: string, step: (entry: JobEntry | undefined) => JobEntry | null | undefined) {
      const hash = hashOf(place.session);
      const field = fieldOf(place, key);
      for (;;) {
        const text = await redis.hget(hash, field);
        const before = read(text);
        const after = step(before);
        if (after === undefined) return undefined;
        const next = after === null ? "" : JSON.stringify(after);
        if ((await redis.eval(swap, 1, hash, field, text ?? "", next)) === 1) return { before, after };
      }
    },
    nextOrder: (): Promise<number> => redis.incr(`${prefix}:order`),
  };
}

function hashed(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

export type Bullmq = Pick<typeof import("bullmq"), "Queue" | "Worker">;
export type Redis = import("ioredis").Redis;
type RedisClass = typeof import("ioredis").Redis;

/** Both are optional peers: only apps with this backend need them. */
export async function loadBullmq(): Promise<{ readonly bullmq: Bullmq; readonly Redis: RedisClass }> {
  const [bullmq, { Redis }] = await Promise.all([
    loadPackage("bullmq", "hookline/tasks/bullmq", () => import("bullmq")),
    loadPackage("ioredis", "hookline/tasks/bullmq", () => import("ioredis")),
  ]);
  return { bullmq, Redis };
}

export type RunningJob = ReturnType<typeof runningJob>;

type About = JobScope & Pick<TaskRecord, "key">;

export type Queues = ReturnType<typeof openQueues>;

/** One queue per task, so that a worker can leave alone what it cannot run. */
export function openQueues(
  { Queue: QueueClass, Worker: WorkerClass }: Bullmq,
  connection: Redis,
  { prefix, leaseMs }: { readonly prefix: string; readonly leaseMs: number },
) {
  const queues = new Map<string, Queue<About>>();
  const workers = new Map<string, Promise<Worker<About>>>();
  /** BullMQ leaves a connection that it was given open. */
  const lines: Redis[] = [];
  const queueOf = (task: string): Queue<About> => {
    const known = queues.get(task) ?? new QueueClass<About>(queueName(task), { connection, prefix });
    queues.set(task, known);
    return known;
  };
  const workerOf = (task: string): Promise<Worker<About>> => {
    const known = workers.get(task) ?? startWorker(task);
    workers.set(task, known);
    return known;
  };
  const startWorker = async (task: string) => {
    const own = connection.duplicate({ maxRetriesPerRequest: null });
    own.on("error", () => undefined);
    lines.push(own);
    const worker = new WorkerClass<About>(queueName(task), null, {
      connection: own,
      prefix,
      autorun: false,
      lockDuration: leaseMs,
      stalledInterval: Math.max(50, Math.round(leaseMs / 3)),
      // How often a job may be begun is counted in its entry.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
    });
    worker.on("error", () => undefined);
    await worker.startStalledCheckTimer();
    return worker;
  };
  /** Tasks by what waits first in their queues: priorities hold over all tasks of a worker. */
  const inOrder = async (names: readonly string[]): Promise<readonly string[]> => {
    if (names.length < 2) return names;
    const heads = await Promise.all(
      names.map(async (name) => {
        const [head] = await queueOf(name).getPrioritized(0, 0);
        return { name, priority: head?.priority ?? Number.POSITIVE_INFINITY, at: head?.timestamp ?? 0 };
      }),
    );
    return heads.sort((a, b) => a.priority - b.priority || a.at - b.at).map(({ name }) => name);
  };

  return {
    async add({ id, task, priority, session, space, key }: TaskRecord): Promise<void> {
      await queueOf(task).add("job", { session, space, key }, jobOptions(id, priority));
    },
    async remove({ id, task }: TaskRecord): Promise<void> {
      await queueOf(task).remove(id);
    },
    async next(names: readonly string[]): Promise<RunningJob | undefined> {
      for (const name of await inOrder(names)) {
        const lease = randomUUID();
        const job = await (await workerOf(name)).getNextJob(lease, { block: false });
        if (job) return runningJob(job, lease, leaseMs);
      }
      return undefined;
    },
    async close(): Promise<void> {
      await Promise.all([...workers.values()].map(async (worker) => (await worker).close(true)));
      await Promise.all([...queues.values()].map((queue) => queue.close()));
      for (const line of lines) line.disconnect();
    },
  };
}

/** Nothing of a job stays in the queue when it ends: its entry has the result. Here the lower number is first. */
function jobOptions(jobId: string, priority: number) {
  return { jobId, priority: 1_001 - priority, removeOnComplete: true, removeOnFail: true, attempts: 1 };
}

/** A job of a queue while this worker has it. */
function runningJob(job: Job<About>, lease: string, leaseMs: number) {
  /** A lease that is over is not an error here: another worker has the job, and its result counts. */
  const ifStillOurs = async (work: Promise<unknown>): Promise<boolean> => {
    try {
      return (await work) !== 0;
    } catch (error) {
      if (/lock|not in the active state|Missing key/i.test(String(error))) return false;
      throw error;
    }
  };
  return {
    id: job.id ?? "",
    lease,
    about: job.data,
    /** False when the lease is over. */
    extend: (): Promise<boolean> => ifStillOurs(job.extendLock(lease, leaseMs)),
    giveBack: async (): Promise<void> => void (await ifStillOurs(job.moveToWait(lease))),
    /** Removes it from the queue, whichever worker has it. */
    drop: async (): Promise<void> => void (await ifStillOurs(job.moveToCompleted(null, lease, false))),
  };
}

/** A colon would end the name. */
function queueName(task: string): string {
  return `task-${Buffer.from(task).toString("base64url")}`;
}
