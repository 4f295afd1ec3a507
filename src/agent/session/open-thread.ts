import type { Message, Purpose } from "../../models/internal.ts";
import { defined } from "../../protocol/internal.ts";
import type { TranscriptWriter } from "../../sessions/internal.ts";
import { allowedTools } from "../subagents/subagent-definitions.ts";
import type { SubagentDefinition } from "../subagents/subagent-file.ts";
import { offeredTools } from "../tools/builtin-tools.ts";
import { openReadState } from "../tools/files/file-access.ts";
import { systemPrompt } from "../world/workspace.ts";
import type { AgentSession, AgentThread, SubagentIdentity } from "./agent-session.ts";
import { openJournal } from "./journal.ts";

/** What differs between the main thread and those of subagents. */
export interface ThreadParts extends Pick<AgentThread, "model" | "cwd" | "contextTokens" | "mail" | "maxCalls"> {
  /** Absent on the main thread. */
  readonly agent?: SubagentIdentity;
  readonly purpose: Purpose;
  readonly transcript: TranscriptWriter;
  /** The definition of its subagent, or of the one that the session was started as. */
  readonly definition: () => SubagentDefinition | undefined;
  readonly messages: Message[];
}

/** Opens a thread and adds it to its session. */
export function openThread(session: AgentSession, { transcript, definition, ...own }: ThreadParts): AgentThread {
  const { options, workspace } = session;
  const thread: AgentThread = {
    ...own,
    session,
    journal: openJournal(transcript, {
      promptId: () => session.promptId,
      cwd: () => thread.cwd,
      ...defined({ attribution: own.agent?.type }),
    }),
    readState: openReadState(),
    tools: () => {
      const mcpTools = session.servers.flatMap(({ tools }) => tools);
      const offered = offeredTools(options, [...session.tools, ...session.subagentTools(thread)], mcpTools);
      return allowedTools(offered, definition());
    },
    system: () => {
      const date = new Date(options.clock.now());
      const surroundings = { cwd: thread.cwd, date, instructions: workspace.instructions() };
      return systemPrompt(surroundings, definition(), own.agent === undefined ? session.prompts : {});
    },
    tailAt: own.messages.length,
    stopActive: false,
  };
  session.threads.add(thread);
  return thread;
}
