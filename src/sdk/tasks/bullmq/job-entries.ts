import { createHash } from "node:crypto";
import { loadPackage } from "../../../protocol/internal.ts";
import type { JobScope, TaskRecord } from "../task-backend.ts";

/** A job as Redis holds it. `lease` is its worker's, `order` the place in which it was added. */
export interface JobEntry extends TaskRecord {
  readonly lease?: string;
  readonly order: number;
}

/** The jobs of every session, one hash per session, one field per key: what is asked about a job is answered from here. */
export interface JobEntries {
  get(place: JobScope, key: string): Promise<JobEntry | undefined>;
  list(session: string): Promise<readonly JobEntry[]>;
  /**
   * One atomic step: `step` gives the new entry, `null` to remove it, or undefined to leave it as it is; then so does this.
   * Contract: `step` may be called again when somebody else was faster. Gives the entry before and after.
   */
  change(
    place: JobScope,
    key: string,
    step: (entry: JobEntry | undefined) => JobEntry | null | undefined,
  ): Promise<{ readonly before: JobEntry | undefined; readonly after: JobEntry | null } | undefined>;
  nextOrder(): Promise<number>;
}

const keepSeconds = 30 * 24 * 3600;

/** Compares with what was read, so that no step is lost between two machines. */
const swap = `
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
redis.call('EXPIRE', KEYS[1], ${keepSeconds})
return 1`;

export function openEntries(redis: Redis, prefix: string): JobEntries {
  const hashOf = (session: string) => `${prefix}:session:${hashed(session)}`;
  const fieldOf = ({ space }: JobScope, key: string) => hashed(JSON.stringify([space, key]));
  const read = (text: string | null) => (text === null ? undefined : (JSON.parse(text) as JobEntry));
  return {
    get: async (place, key) => read(await redis.hget(hashOf(place.session), fieldOf(place, key))),
    async list(session) {
      const entries = (await redis.hvals(hashOf(session))).map((text) => JSON.parse(text) as JobEntry);
      return entries.sort((a, b) => a.order - b.order);
    },
    async change(place, key, step) {
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
    nextOrder: () => redis.incr(`${prefix}:order`),
  };
}

function hashed(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

export type Bullmq = Pick<typeof import("bullmq"), "Queue" | "Worker">;
export type Redis = import("ioredis").Redis;
type RedisClass = typeof import("ioredis").Redis;

/** Both are optional peers: only who names this backend needs them. */
export async function loadBullmq(): Promise<{ readonly bullmq: Bullmq; readonly Redis: RedisClass }> {
  const [bullmq, { Redis }] = await Promise.all([
    loadPackage("bullmq", "hookline/tasks/bullmq", () => import("bullmq")),
    loadPackage("ioredis", "hookline/tasks/bullmq", () => import("ioredis")),
  ]);
  return { bullmq, Redis };
}
