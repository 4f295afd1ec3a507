/** The background commands of one session. */
export interface BackgroundShells {
  /** Running and ended ones, in order of start. */
  list(): readonly BackgroundShell[];
  get(id: string): BackgroundShell | undefined;
  add(shell: BackgroundShell): void;
  /** Ends all that run and waits for them: the session's end. */
  endAll(): Promise<void>;
}

export interface BackgroundShell {
  readonly id: string;
  readonly toolUseId: string;
  readonly command: string;
  readonly description: string;
  /** Everything it printed so far. */
  readonly outputPath: string;
  status(): "running" | "completed" | "failed" | "killed";
  /** Absent while it runs, and when a signal ended it. */
  exitCode(): number | undefined;
  end(): Promise<void>;
  /** Resolves when it has ended. */
  readonly done: Promise<void>;
}

/** `onEnd` hears of each command that ended, by itself or not: the host tells the model. */
export function openBackgroundShells(onEnd: (shell: BackgroundShell) => void = () => undefined): BackgroundShells {
  const shells = new Map<string, BackgroundShell>();
  return {
    list: () => [...shells.values()],
    get: (id) => shells.get(id),
    add(shell) {
      shells.set(shell.id, shell);
      void shell.done.then(() => onEnd(shell));
    },
    async endAll() {
      await Promise.all([...shells.values()].map((shell) => shell.end()));
    },
  };
}
