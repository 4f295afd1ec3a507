const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

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
