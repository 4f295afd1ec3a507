const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** Ctrl-C under npm, or a time limit on a group, reaches a process twice at once: that is one wish. */
const oneWishMs = 500;

/** Aborted by the first signal. One that comes later ends the process at once, unless a command hears signals itself. */
export function interruption(process: NodeJS.Process): AbortSignal {
  const abort = new AbortController();
  let firstMs = 0;
  for (const name of names) {
    process.on(name, () => {
      if (!abort.signal.aborted) {
        firstMs = performance.now();
        abort.abort(new Error(`interrupted by ${name}`));
      } else if (process.listenerCount(name) === 1 && performance.now() - firstMs > oneWishMs) process.exit(130);
    });
  }
  return abort.signal;
}

/** The exit status of a command that a signal ended before it heard signals itself. */
export function statusOfInterruption(reason: unknown): number {
  const name = names.find((one) => reason instanceof Error && reason.message.endsWith(one)) ?? "SIGINT";
  return { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[name];
}

/** The signals of a process, for a command that handles them itself, and the way out for one that must leave at once. */
export function processSignals(process: NodeJS.Process) {
  return {
    onSignal(listener: (signal: (typeof names)[number]) => void): () => void {
      const heard = names.map((name) => ({ name, hear: () => listener(name) }));
      for (const { name, hear } of heard) process.on(name, hear);
      return () => {
        for (const { name, hear } of heard) process.off(name, hear);
      };
    },
    leave: (status: number): void => process.exit(status),
  };
}
