import type { AgentSession } from "./session.ts";

/** What still runs beside a thread, as Stop tells it. */
export function backgroundTasks({ agents, shells }: AgentSession, ownId?: string): readonly Record<string, string>[] {
  return [
    ...agents
      .list()
      .filter(({ id, status }) => status === "running" && id !== ownId)
      .map(({ id, status, description, type }) => ({ id, type: "subagent", status, description, agent_type: type })),
    ...shells
      .list()
      .filter((shell) => shell.status() === "running")
      .map(({ id, description, command }) => ({ id, type: "shell", status: "running", description, command })),
  ];
}
