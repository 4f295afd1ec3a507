/** Calls `leave` when nothing was asked for `idleMs` and nobody is left who might. */
export function watchIdle({ idleMs, busy, leave }: { idleMs: number; busy: () => boolean; leave: () => void }): {
  touch(): void;
  end(): void;
} {
  let last = performance.now();
  const timer = setInterval(
    () => {
      if (performance.now() - last >= idleMs && !busy()) leave();
    },
    Math.max(50, Math.min(idleMs / 4, 60_000)),
  );
  timer.unref();
  return {
    touch() {
      last = performance.now();
    },
    end: () => clearInterval(timer),
  };
}
