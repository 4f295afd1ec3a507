const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** Under npm, Ctrl-C reaches a process twice. A second signal within this time is the same one. */
const sameSignalMs = 500;

/** Aborted by the first signal. A later one ends the process, unless the command handles signals itself. */
export function abortOnSignal(process: NodeJS.Process): AbortSignal {
  const abort = new AbortController();
  let firstMs = 0;
  for (const name of names) {
    process.on(name, () => {
      if (!abort.signal.aborted) {
        firstMs = performance.now();
        abort.abort(new Error(`interrupted by ${name}`));
      } else if (process.listenerCount(name) === 1 && performance.now() - firstMs > sameSignalMs) process.exit(130);
    });
  }
  return abort.signal;
}

/** The exit status for a signal that arrived before the command handled signals itself. */
export function signalExitStatus(reason: unknown): number {
  const name = names.find((one) => reason instanceof Error && reason.message.endsWith(one)) ?? "SIGINT";
  return { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[name];
}

/** For a command that handles signals itself: subscribe to them, and exit at once. */
export function processSignals(process: NodeJS.Process) {
  return {
    onSignal(listener: (signal: (typeof names)[number]) => void): () => void {
      const listeners = names.map((name) => ({ name, listen: () => listener(name) }));
      for (const { name, listen } of listeners) process.on(name, listen);
      return () => {
        for (const { name, listen } of listeners) process.off(name, listen);
      };
    },
    leave: (status: number): void => process.exit(status),
  };
}
