import { missingPackage } from "../../../protocol/index.ts";

export type Bullmq = Pick<typeof import("bullmq"), "Queue" | "Worker">;
export type Redis = import("ioredis").Redis;
export type RedisClass = typeof import("ioredis").Redis;

/** Both are optional peers: only who names this backend needs them. */
export async function loadBullmq(): Promise<{ readonly bullmq: Bullmq; readonly Redis: RedisClass }> {
  const [bullmq, { Redis }] = await Promise.all([
    import("bullmq").catch((cause: unknown) => missing("bullmq", cause)),
    import("ioredis").catch((cause: unknown) => missing("ioredis", cause)),
  ]);
  return { bullmq, Redis };
}

function missing(name: string, cause: unknown): never {
  throw missingPackage(name, "hookline/tasks/bullmq", cause);
}
