import { setTimeout as sleep } from "node:timers/promises";

/** A time that began once and is shared by steps one after the other: each may take what is left of it. */
export interface TimeLeft {
  leftMs(): number;
  /**
   * Waits for the work, but not into the last `reserveMs`. Gives false when the work was left behind; what becomes of it then, also an
   * error, concerns nobody any more.
   */
  waitFor(work: Promise<unknown>, reserveMs?: number): Promise<boolean>;
}

/** Where time comes from. */
export interface Time {
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export function openTimeLeft(totalMs: number, time: Time = realTime): TimeLeft {
  const endsAt = time.now() + totalMs;
  const leftMs = (): number => Math.max(0, endsAt - time.now());
  return {
    leftMs,
    async waitFor(work, reserveMs = 0) {
      const over = new AbortController();
      // Work that has nothing to wait for is done, however late it is.
      const passed = time.sleep(Math.max(0, leftMs() - reserveMs), over.signal).then(() => false);
      try {
        return await Promise.race([work.then(() => true), passed]);
      } finally {
        over.abort();
      }
    },
  };
}

const realTime: Time = {
  now: () => performance.now(),
  async sleep(ms, signal) {
    // An abort means that nobody waits any more.
    await sleep(ms, undefined, { signal }).catch(() => undefined);
  },
};
