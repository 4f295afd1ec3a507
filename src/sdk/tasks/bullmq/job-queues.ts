import { randomUUID } from "node:crypto";
import type { Job, Queue, Worker } from "bullmq";
import type { TaskRecord } from "../task-backend.ts";
import type { Bullmq, Redis } from "./job-entries.ts";

/** A job that BullMQ has lent us. */
export interface RunningJob {
  readonly id: string;
  readonly lease: string;
  readonly about: About;
  /** False when the lease is over. */
  extend(): Promise<boolean>;
  giveBack(): Promise<void>;
  /** Removes it from the queue, whichever worker has it. */
  drop(): Promise<void>;
}

interface About {
  readonly session: string;
  readonly space: string;
  readonly key: string;
}

/** One queue per task, so that a worker can leave alone what it cannot run. */
export interface Queues {
  add(record: TaskRecord): Promise<void>;
  remove(record: TaskRecord): Promise<void>;
  next(names: readonly string[]): Promise<RunningJob | undefined>;
  close(): Promise<void>;
}

export function openQueues(
  { Queue: QueueClass, Worker: WorkerClass }: Bullmq,
  connection: Redis,
  { prefix, leaseMs }: { readonly prefix: string; readonly leaseMs: number },
): Queues {
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
    async add({ id, task, priority, session, space, key }) {
      await queueOf(task).add("job", { session, space, key }, jobOptions(id, priority));
    },
    async remove({ id, task }) {
      await queueOf(task).remove(id);
    },
    async next(names) {
      for (const name of await inOrder(names)) {
        const lease = randomUUID();
        const job = await (await workerOf(name)).getNextJob(lease, { block: false });
        if (job) return lent(job, lease, leaseMs);
      }
      return undefined;
    },
    async close() {
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

function lent(job: Job<About>, lease: string, leaseMs: number): RunningJob {
  /** A lease that is over is no error here: then another worker has the job, and its word counts. */
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
    extend: () => ifStillOurs(job.extendLock(lease, leaseMs)),
    giveBack: async () => void (await ifStillOurs(job.moveToWait(lease))),
    drop: async () => void (await ifStillOurs(job.moveToCompleted(null, lease, false))),
  };
}

/** A colon would end the name. */
function queueName(task: string): string {
  return `task-${Buffer.from(task).toString("base64url")}`;
}
