import type { AgentSession } from "./session.ts";

/** Which agent a session was started as, in its transcript: a later process continues it as the same. */
export async function noteAgent({ options, record }: AgentSession): Promise<void> {
  if (options.agent !== undefined) await record.main.append({ type: "agent-setting", agentSetting: options.agent });
}
