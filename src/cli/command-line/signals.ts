import type { Io } from "./command.ts";

export const signalNames = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The exit status for a signal that arrived before the command handled signals itself. */
export function signalExitStatus(reason: unknown): number {
  const name = signalNames.find((one) => reason instanceof Error && reason.message.endsWith(one)) ?? "SIGINT";
  return { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[name];
}

/** For a command that handles signals itself: subscribe to them, and exit at once. */
export function processSignals(process: NodeJS.Process) {
  return {
    onSignal(listener: (signal: (typeof signalNames)[number]) => void): () => void {
      const listeners = signalNames.map((name) => ({ name, listen: () => listener(name) }));
      for (const { name, listen } of listeners) process.on(name, listen);
      return () => {
        for (const { name, listen } of listeners) process.off(name, listen);
      };
    },
    leave: (status: number): void => process.exit(status),
  };
}

/** For `catch`: undefined in place of the error when the user interrupted the work. */
export function unlessInterrupted({ signal }: Io): (error: unknown) => undefined {
  return (error) => {
    if (!signal.aborted) throw error;
    return undefined;
  };
}
