import type { TranscriptWriter } from "../../sessions/internal.ts";
import { allowedTools } from "../subagents/subagent-definitions.ts";
import type { SubagentDefinition } from "../subagents/subagent-file.ts";
import { offeredTools } from "../tools/builtin-tools.ts";
import { systemPrompt } from "../world/workspace.ts";
import type { AgentSession, AgentThread } from "./agent-session.ts";
import { openJournal } from "./journal.ts";

/** What differs between the main thread and those of subagents. */
interface ThreadParts
  extends Pick<AgentThread, "agent" | "purpose" | "messages" | "model" | "cwd" | "contextTokens" | "maxCalls"> {
  readonly transcript: TranscriptWriter;
  /** The definition of its subagent, or of the one that the session was started as. */
  readonly definition: () => SubagentDefinition | undefined;
}

/** Opens a thread and adds it to its session. */
export function openThread(session: AgentSession, { transcript, definition, ...own }: ThreadParts): AgentThread {
  const { options, workspace } = session;
  const base = { ...own, session, tailAt: own.messages.length, stopActive: false };
  const thread: AgentThread = Object.assign(base, {
    journal: openJournal(transcript, base),
    readState: new Map(),
    tools: () => {
      const own = [...session.tools, ...session.subagentTools(thread)];
      return allowedTools(offeredTools(options, own, session.servers?.tools ?? []), definition());
    },
    system: () => {
      const date = new Date(options.clock.now());
      const place = { cwd: thread.cwd, date, instructions: workspace.instructions() };
      return systemPrompt(place, definition(), own.agent === undefined ? session.prompts : {});
    },
  });
  session.threads.set(own.agent?.id ?? "main", thread);
  return thread;
}
