export interface IdleOptions {
  readonly idleMs: number;
  /** Asked once it has been quiet for that long. */
  readonly busy: () => Promise<boolean>;
  readonly leave: () => void;
}

/** Calls `leave` when nothing was asked for `idleMs` and nobody is left who might. */
export function watchIdle({ idleMs, busy, leave }: IdleOptions): { touch(): void; end(): void } {
  let last = performance.now();
  let asking = false;
  const isQuiet = () => performance.now() - last >= idleMs;
  const look = async () => {
    if (asking || !isQuiet()) return;
    asking = true;
    const isBusy = await busy().finally(() => {
      asking = false;
    });
    // Somebody may have called while we asked.
    if (!isBusy && isQuiet()) leave();
  };
  const timer = setInterval(() => void look(), Math.max(50, Math.min(idleMs / 4, 60_000)));
  timer.unref();
  return {
    touch() {
      last = performance.now();
    },
    end: () => clearInterval(timer),
  };
}
