import { setMaxListeners } from "node:events";
import type { Soon } from "./soon.ts";

/** A fixed number of places; whoever comes later waits, in order. */
export interface Slots {
  /** Contract: gives the function that gives the place back, or undefined when the signal was aborted first. */
  take(signal: AbortSignal): Soon<(() => void) | undefined>;
}

export function slots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];

  function release(): void {
    const next = waiting.shift();
    if (next === undefined) free++;
    else next();
  }

  function once(): () => void {
    let held = true;
    return () => {
      if (held) release();
      held = false;
    };
  }

  return {
    take(signal) {
      if (signal.aborted) return undefined;
      if (free > 0) {
        free--;
        return once();
      }
      return new Promise((resolve) => {
        const onTurn = (): void => {
          signal.removeEventListener("abort", onAbort);
          resolve(once());
        };
        const onAbort = (): void => {
          waiting.splice(waiting.indexOf(onTurn), 1);
          resolve(undefined);
        };
        waiting.push(onTurn);
        // Many hooks that wait under one signal are not a leak.
        setMaxListeners(0, signal);
        signal.addEventListener("abort", onAbort, { once: true });
      });
    },
  };
}
