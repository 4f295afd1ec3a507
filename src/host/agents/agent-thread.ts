import type { Attachment } from "../attachment.ts";
import { addUserMessage, recordNotes } from "../channels.ts";
import { fireAndHold } from "../fire.ts";
import { openJournal } from "../journal.ts";
import { runTurn, type TurnEnd } from "../loop.ts";
import { offeredTools } from "../offered-tools.ts";
import { systemPrompt } from "../system-prompt.ts";
import type { AgentWorktree, Thread } from "../thread.ts";
import { openReadState } from "../tools/read-state.ts";
import { reportSubagentEnd, reportSubagentStep } from "./agent-report.ts";
import { agentTools } from "./agent-tools.ts";
import { allowedTools } from "./allowed-tools.ts";
import type { AgentDefinition } from "./definitions.ts";

/** An agent that is wanted. */
export interface AgentWish {
  readonly definition: AgentDefinition;
  readonly description: string;
  readonly prompt: string;
  readonly toolUseId: string;
  /** With a name it is a teammate. */
  readonly name?: string;
  readonly model?: string;
  /** A folder of its own. */
  readonly cwd?: string;
  readonly worktree?: AgentWorktree;
  readonly id?: string;
  /** It works beside the thread that starts it. */
  readonly background?: boolean;
}

export const deepestAgent = 5;

/** Opens the thread of an agent: a transcript and a memory of its own; rules, folders and servers are the session's. */
export async function openAgentThread(parent: Thread, wish: AgentWish): Promise<Thread> {
  const { session } = parent;
  const { definition, description, name, toolUseId } = wish;
  const { record, options } = session;
  const id = wish.id ?? record.newAgentId(name);
  const depth = (parent.agent?.depth ?? 0) + 1;
  const type = name ?? definition.type;
  const meta = {
    agentType: type,
    description,
    ...(name === undefined ? { toolUseId } : { name, taskKind: "in_process_teammate", teamName: record.team }),
    spawnDepth: depth,
    ...(parent.agent === undefined ? {} : { parentAgentId: parent.agent.id }),
  };
  const transcript = await record.openAgent(id, meta);
  const wanted = wish.model ?? definition.model;
  const thread: Thread = {
    session,
    agent: {
      id,
      type,
      kind: definition.type,
      depth,
      transcriptPath: transcript.file,
      toolUseId,
      ...(name === undefined ? {} : { name }),
      description,
      startedAt: options.clock.now(),
      background: wish.background ?? false,
      ...(wish.worktree === undefined ? {} : { worktree: wish.worktree }),
    },
    purpose: "subagent",
    messages: [],
    journal: openJournal(transcript, {
      promptId: () => session.promptId,
      cwd: () => thread.cwd,
      attribution: type,
    }),
    readState: openReadState(),
    tools: () =>
      allowedTools(
        offeredTools(
          options,
          [...session.tools, ...agentTools(thread)],
          session.servers.flatMap(({ tools }) => tools),
        ),
        definition,
      ),
    system: () =>
      systemPrompt(
        { cwd: thread.cwd, date: new Date(options.clock.now()), instructions: session.surroundings.instructions() },
        definition,
      ),
    model: wanted === undefined ? { ...parent.model } : await session.openModel(wanted),
    cwd: wish.cwd ?? parent.cwd,
    tailAt: 0,
    stopActive: false,
    contextTokens: 0,
    mail: [],
    ...(definition.maxTurns === undefined ? {} : { maxCalls: definition.maxTurns }),
  };
  session.threads.set(id, thread);
  return thread;
}

/** The first turn of an agent: hooks hear of it, then it works on its prompt. */
export async function beginAgent(thread: Thread, prompt: string, signal: AbortSignal): Promise<TurnEnd> {
  const { agent } = thread;
  const about = { agent_id: agent?.id, agent_type: agent?.type };
  const { notes } = await fireAndHold(thread, "SubagentStart", about, { signal });
  const { background = false, depth = 1 } = agent ?? {};
  reportSubagentStep(thread, { is: "started", prompt, background, depth });
  return continueAgent(thread, prompt, signal, notes);
}

/** A further turn, with a message as its prompt. */
export async function continueAgent(
  thread: Thread,
  prompt: string,
  signal: AbortSignal,
  notes: readonly Attachment[] = [],
): Promise<TurnEnd> {
  thread.stopActive = false;
  await addUserMessage(thread, prompt);
  await recordNotes(thread, notes);
  const end = await runTurn(thread, signal);
  reportSubagentEnd(thread, end);
  return end;
}
