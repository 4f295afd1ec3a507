import { defined } from "../../protocol/internal.ts";
import type { TurnResult } from "../session/agent-result.ts";
import type { AgentThread, SubagentIdentity, SubagentThread } from "../session/agent-session.ts";
import { openThread } from "../session/open-thread.ts";
import { type Attachment, refusalText } from "../turn/attachments.ts";
import { addUserMessage, recordNotes, tellModelAsHost } from "../turn/channels.ts";
import { fireAndHold } from "../turn/fire-event.ts";
import { runTurn } from "../turn/loop.ts";
import type { SubagentDefinition } from "./subagent-file.ts";
import { reportSubagentEnd, reportSubagentStep } from "./subagent-report.ts";

/** A subagent to start. */
export interface SubagentRequest
  extends Pick<SubagentIdentity, "id" | "name" | "description" | "toolUseId" | "background" | "worktree"> {
  readonly definition: SubagentDefinition;
  readonly model?: string;
  readonly cwd: string;
}

export const maxSubagentDepth = 5;

/** Opens the thread of an agent: a transcript and a memory of its own; rules, folders and servers are the session's. */
export async function openSubagentThread(parent: AgentThread, request: SubagentRequest): Promise<SubagentThread> {
  const { session } = parent;
  const { id, definition, description, name, toolUseId, cwd, background } = request;
  const { record, options } = session;
  const depth = (parent.agent?.depth ?? 0) + 1;
  const type = name ?? definition.type;
  const meta = {
    agentType: type,
    description,
    ...(name === undefined ? { toolUseId } : { name, taskKind: "in_process_teammate", teamName: record.team }),
    spawnDepth: depth,
    ...defined({ parentAgentId: parent.agent?.id }),
  };
  const transcript = await record.openAgent(id, meta);
  const wanted = request.model ?? definition.model;
  const agent = {
    id,
    type,
    kind: definition.type,
    depth,
    transcriptPath: transcript.file,
    toolUseId,
    description,
    startedAt: options.clock.now(),
    background,
    mail: [],
    ...defined({ name, worktree: request.worktree }),
  };
  const thread = openThread(session, {
    agent,
    purpose: "subagent",
    transcript,
    definition: () => definition,
    messages: [],
    model: wanted === undefined ? { ...parent.model } : await session.openModel(wanted),
    cwd,
    contextTokens: 0,
    ...defined({ maxCalls: definition.maxTurns }),
  });
  return Object.assign(thread, { agent });
}

/** The first turn of a subagent: SubagentStart, then its prompt. */
export async function startSubagent(thread: SubagentThread, prompt: string, signal: AbortSignal): Promise<TurnResult> {
  const { id, type, background, depth } = thread.agent;
  const { notes } = await fireAndHold(thread, "SubagentStart", { agent_id: id, agent_type: type }, { signal });
  reportSubagentStep(thread, { is: "started", prompt, background, depth });
  return continueSubagent(thread, prompt, signal, notes);
}

/** A further turn, with a message as its prompt. */
export async function continueSubagent(
  thread: SubagentThread,
  prompt: string,
  signal: AbortSignal,
  notes: readonly Attachment[] = [],
): Promise<TurnResult> {
  thread.stopActive = false;
  await addUserMessage(thread, prompt);
  await recordNotes(thread, notes);
  const end = await runTurn(thread, signal);
  reportSubagentEnd(thread, end);
  return end;
}

/** A teammate is about to wait for messages; hooks may send it back to work. */
export async function askBeforeIdle(
  thread: SubagentThread,
  ended: TurnResult,
  signal: AbortSignal,
): Promise<TurnResult> {
  const { agent, session } = thread;
  let end = ended;
  // As often as Stop hooks may do it: a hook that never agrees must not keep a teammate at work forever.
  for (let sentBack = 0; sentBack < 8 && end.by === "completed"; sentBack += 1) {
    const about = { teammate_name: agent.name, team_name: session.record.team };
    const { outcome } = await fireAndHold(thread, "TeammateIdle", about, { signal });
    if (!outcome.blocked || !outcome.continue) return end;
    await tellModelAsHost(thread, `TeammateIdle hook feedback:\n${refusalText(outcome)}`);
    end = await runTurn(thread, signal);
  }
  return end;
}
