/** An agent that runs beside the main thread, or ran. */
export interface BackgroundAgent {
  readonly id: string;
  readonly type: string;
  readonly description: string;
  readonly name?: string;
  readonly status: "running" | "idle" | "completed" | "failed" | "killed";
  /** A message for it, to be read when it next looks. */
  send(text: string): void;
  /** Ends it with the status `killed`. */
  kill(): void;
  /** Resolves when it has ended. */
  readonly done: Promise<void>;
}

export interface BackgroundAgents {
  list(): readonly BackgroundAgent[];
  find(idOrName: string): BackgroundAgent | undefined;
  add(agent: BackgroundAgent): void;
  /** Ends all that run and waits for them. */
  killAll(): Promise<void>;
}

export function openBackgroundAgents(): BackgroundAgents {
  const agents = new Map<string, BackgroundAgent>();
  return {
    list: () => [...agents.values()],
    find: (wanted) => agents.get(wanted) ?? [...agents.values()].findLast(({ name }) => name === wanted),
    add: (agent) => void agents.set(agent.id, agent),
    async killAll() {
      const running = [...agents.values()].filter(({ status }) => status === "running" || status === "idle");
      for (const agent of running) agent.kill();
      await Promise.all(running.map(({ done }) => done));
    },
  };
}
