/** A limit that can be moved, and stopped like a chess clock. */
export interface PausableDeadline {
  /** The limit in force. */
  readonly limitMs: number;
  /** The clock stands still until as many resumes as pauses were called. */
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

/** Timers of the platform count milliseconds in 31 bits and fire at once beyond. */
const maxTimerMs = 2 ** 31 - 1;
