import { wrong } from "../../problem.ts";

export type Bullmq = Pick<typeof import("bullmq"), "Queue" | "Worker">;
export type Redis = import("ioredis").Redis;
export type RedisClass = typeof import("ioredis").Redis;

/** Both are optional peers: only who names this backend needs them. */
export async function loadBullmq(): Promise<{ readonly bullmq: Bullmq; readonly Redis: RedisClass }> {
  try {
    const [bullmq, { Redis }] = await Promise.all([import("bullmq"), import("ioredis")]);
    return { bullmq, Redis };
  } catch (cause) {
    const message = "hookline/tasks/bullmq needs the packages bullmq and ioredis. Run: npm install bullmq ioredis";
    throw wrong("no-bullmq", message, {}, cause);
  }
}
