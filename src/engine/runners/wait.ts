import { setMaxListeners } from "node:events";

/** The longest a wait may last and the signal that ends it sooner. */
export interface Limit {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** How a wait for somebody else ended. */
export type Waited<T> =
  | { readonly by: "answered"; readonly value: T }
  | { readonly by: "threw"; readonly error: unknown }
  | { readonly by: "timeout" }
  | { readonly by: "cancelled" };

/**
 * Calls `work` with a signal of its own and waits. Contract: resolves even if `work` never answers; its signal is aborted at the
 * deadline and on cancel, and what it says afterwards is ignored.
 */
export async function waitFor<T>(work: (signal: AbortSignal) => PromiseLike<T>, limit: Limit): Promise<Waited<T>> {
  if (limit.signal.aborted) return { by: "cancelled" };
  const controller = new AbortController();
  let answer: PromiseLike<T>;
  try {
    answer = work(controller.signal);
  } catch (error) {
    return { by: "threw", error };
  }
  return settled(answer, limit, controller);
}

/**
 * The wait for an answer that is already on its way; `controller` is aborted when the wait ends without it.
 * A promise that is fulfilled when it comes, as those of most async functions, costs neither a timer nor a listener.
 */
export function settled<T>(
  answer: PromiseLike<T>,
  { timeoutMs, signal }: Limit,
  controller?: AbortController,
): Promise<Waited<T>> {
  return new Promise((resolve) => {
    let disarm: (() => void) | undefined;
    let over = false;
    Promise.resolve(answer).then(
      (value) => end({ by: "answered", value }),
      (error: unknown) => end({ by: "threw", error }),
    );
    queueMicrotask(() => {
      if (!over) disarm = arm(giveUp, timeoutMs, signal);
    });

    function giveUp(by: "timeout" | "cancelled"): void {
      end({ by });
      controller?.abort(by === "cancelled" ? signal.reason : new DOMException("The hook's time is up", "TimeoutError"));
    }

    function end(waited: Waited<T>): void {
      over = true;
      disarm?.();
      resolve(waited);
    }
  });
}

function arm(giveUp: (by: "timeout" | "cancelled") => void, timeoutMs: number, signal: AbortSignal): () => void {
  const timer = setTimeout(giveUp, timerMs(timeoutMs), "timeout");
  const onAbort = () => giveUp("cancelled");
  // Many hooks waiting on one event's signal are no leak.
  setMaxListeners(0, signal);
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) queueMicrotask(onAbort);
  return () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  };
}

/** A timer set beyond 31 bits fires at once; the longest one it can hold is 24 days. */
export function timerMs(ms: number): number {
  return Math.min(ms, 2 ** 31 - 1);
}
