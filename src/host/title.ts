import type { AgentSession } from "./session.ts";

/** A name for the session: lines in the transcript, and its name in the registry. */
export async function giveTitle(session: AgentSession, title: string): Promise<void> {
  session.title = title;
  await session.record.main.append({ type: "custom-title", customTitle: title });
  await session.record.main.append({ type: "agent-name", agentName: title });
  await session.live.rename(title);
}
