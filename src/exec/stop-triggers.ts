/** A time limit that can be changed and paused. */
export interface PausableDeadline {
  /** The current limit. */
  readonly limitMs: number;
  /** Stops the clock until `resume` was called as often as `pause`. */
  pause(): void;
  resume(): void;
  /** A new limit, counted from now. */
  set(limitMs: number): void;
  unref(): void;
  clear(): void;
}

export function startPausableDeadline(limitMs: number, onPassed: () => void): PausableDeadline {
  let limit = limitMs;
  let remaining = limitMs;
  let since = performance.now();
  let pauses = 0;
  let over = false;
  let refed = true;
  let timer: NodeJS.Timeout | undefined;
  arm();

  function arm(): void {
    since = performance.now();
    timer = setTimeout(fire, Math.min(Math.max(remaining, 0), maxTimerMs));
    if (!refed) timer.unref();
  }

  function fire(): void {
    remaining -= performance.now() - since;
    // A timer may be a millisecond early, and a limit may be longer than any timer.
    if (remaining > 1) {
      arm();
      return;
    }
    over = true;
    // The process may have ended in time while this one was busy: its exit is read before this runs.
    setImmediate(onPassed);
  }

  function clear(): void {
    clearTimeout(timer);
    over = true;
  }

  return {
    get limitMs() {
      return limit;
    },
    pause() {
      if (over || pauses++ > 0) return;
      clearTimeout(timer);
      remaining -= performance.now() - since;
    },
    resume() {
      if (over || pauses === 0 || --pauses > 0) return;
      arm();
    },
    set(newLimitMs) {
      if (over) return;
      clearTimeout(timer);
      limit = newLimitMs;
      remaining = newLimitMs;
      if (pauses === 0) arm();
    },
    unref() {
      refed = false;
      timer?.unref();
    },
    clear,
  };
}

/** Node timers count milliseconds in 31 bits; a longer delay fires immediately. */
const maxTimerMs = 2 ** 31 - 1;

/** Calls back when the signal is aborted; returns a function that cancels this. All callbacks of one signal share one listener. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  // Node warns of a leak when a signal has more than ten listeners, and that many runs under one signal are common.
  const callbacks = waiting.get(signal) ?? listen(signal);
  callbacks.add(callback);
  return () => void callbacks.delete(callback);
}

const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/** The listener stays as long as the signal: most are reused immediately, and it holds only this set. */
function listen(signal: AbortSignal): Set<() => void> {
  const callbacks = new Set<() => void>();
  waiting.set(signal, callbacks);
  signal.addEventListener("abort", () => callbacks.forEach((callback) => void callback()), { once: true });
  return callbacks;
}
