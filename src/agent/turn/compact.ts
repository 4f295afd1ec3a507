import { joinTurns, type ModelEnd, type ModelError, textIn } from "../../models/internal.ts";
import { type AgentThread, toolDefinitions } from "../session/agent-session.ts";
import { refusalText } from "./attachments.ts";
import { type ApiFailure, apiFailure, askOnce } from "./call-model.ts";
import { recordNotes, tellModel } from "./channels.ts";
import { fire, fireAndHold } from "./fire-event.ts";
import { cutLongResults, shortenConversation } from "./shorten-conversation.ts";
import { backgroundTasks } from "./stop.ts";

/**
 * Compacts a conversation of the main thread or of a subagent that fills its window. After a failure or a refusal it tries again
 * when the conversation has grown.
 */
export async function compactWhenFull(thread: AgentThread, signal: AbortSignal): Promise<void> {
  const { compactAt } = thread.session.options;
  const limit = compactAt > 1 ? compactAt : compactAt * (thread.model.port.contextWindow ?? 200_000);
  if (!isConversation(thread) || thread.contextTokens < Math.max(limit, thread.compactAgainAt ?? 0)) return;
  const refusal = await compact(thread, automatic, signal);
  if (refusal === undefined) delete thread.compactAgainAt;
  else thread.compactAgainAt = thread.contextTokens + limit / 10;
}

/** The conversation of an agent hook is too short to need a summary. */
function isConversation({ purpose }: AgentThread): boolean {
  return purpose === "main" || purpose === "subagent";
}

const automatic = { trigger: "auto", instructions: null } as const;

/** Compacts the conversation if the request failed because it was too long. Returns whether it was compacted. */
export async function compactAfterTooLong(
  thread: AgentThread,
  { tooLong }: ApiFailure,
  signal: AbortSignal,
): Promise<boolean> {
  if (tooLong !== true || !isConversation(thread)) return false;
  return (await compact(thread, { ...automatic, shortenFirst: true }, signal)) === undefined;
}

interface CompactOptions {
  readonly trigger: "manual" | "auto";
  /** What the summary should pay attention to. */
  readonly instructions: string | null;
  /** The conversation is known to be too long for the model. */
  readonly shortenFirst?: boolean;
}

/**
 * Replaces the conversation by a summary. Fires PreCompact, SubagentStop with an empty type, SessionStart and PostCompact. Returns why
 * it was not compacted.
 */
export async function compact(
  thread: AgentThread,
  { trigger, instructions, shortenFirst = false }: CompactOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { session } = thread;
  const startedAt = session.options.clock.now();
  const request = { trigger, custom_instructions: instructions };
  const { outcome: before } = await fireAndHold(thread, "PreCompact", request, { signal });
  if (before.blocked) return notDone(thread, `Compaction blocked by PreCompact hook: ${refusalText(before)}`);

  const additional = [instructions, before.output.customInstructions].filter(Boolean).join("\n\n");
  const answer = await askForSummary(thread, summaryPrompt(additional), shortenFirst, signal);
  if (answer.type === "error") return notDone(thread, `Compaction failed: ${answer.message}`);
  const summary = textIn(answer.content);
  if (summary.trim() === "") return notDone(thread, "Compaction failed: the model returned no summary.");
  await fireSummaryEnd(thread, summary, signal);

  const preTokens = thread.contextTokens;
  const postTokens = answer.usage.output;
  // The model still needs its last answer with the results of its calls.
  const kept = thread.messages.slice(thread.tailAt);
  const tail = shortenFirst ? cutLongResults(kept) : kept;
  const uuids = tail.length === 0 ? [] : thread.journal.tailUuids();
  const anchorUuid = session.options.uuid();
  const durationMs = Math.round(session.options.clock.now() - startedAt);
  await thread.journal.boundary({ trigger, preTokens, durationMs, postTokens, anchorUuid, uuids });
  const text = continuationText(summary, thread.journal.file);
  await thread.journal.user(text, { isCompactSummary: true, isVisibleInTranscriptOnly: true }, { uuid: anchorUuid });
  thread.messages.splice(0);
  tellModel(thread, text);
  thread.messages.push(...tail);
  thread.tailAt = 1;
  thread.contextTokens = postTokens;
  thread.readState.clear();

  const about = { source: "compact", model: thread.model.name };
  const { outcome: started, notes } = await fireAndHold(thread, "SessionStart", about, { signal });
  await session.workspace.afterCompaction(thread, started);
  await recordNotes(thread, notes);
  await fire(thread, "PostCompact", { trigger, compact_summary: summary }, { signal });
  const { agent } = thread;
  if (agent === undefined) session.report({ kind: "compacted", trigger, preTokens, postTokens });
  else session.notice(`The conversation of subagent ${agent.id} was compacted.`, "info");
  return undefined;
}

/**
 * Asks for the summary. The API refuses a conversation with calls and no tools, so the tools are listed but must not be called. A
 * conversation that is too long is shortened step by step.
 */
async function askForSummary(
  thread: AgentThread,
  prompt: string,
  shortenFirst: boolean,
  signal: AbortSignal,
): Promise<ModelEnd | ModelError> {
  const tools = toolDefinitions(thread);
  for (let level = shortenFirst ? 1 : 0; ; level += 1) {
    const request = {
      purpose: "compaction",
      model: thread.model.name,
      system: ["You summarize conversations between a user and a coding agent."],
      messages: joinTurns([...shortenConversation(thread.messages, level), { role: "user", content: prompt }]),
      tools,
      ...(tools.length === 0 ? {} : { toolChoice: { type: "none" } as const }),
    } as const;
    const answer = await askOnce(thread, request, signal);
    const retry = answer.type === "error" && apiFailure(answer).tooLong === true && level < maxShortenings;
    if (!retry) return answer;
  }
}

/** How often a conversation is halved before compaction fails. */
const maxShortenings = 6;

function notDone({ session }: AgentThread, why: string): string {
  session.notice(why, "warning");
  return why;
}

/** Claude Code treats the summary as the work of a subagent without a type, a SubagentStart or a transcript. */
async function fireSummaryEnd(thread: AgentThread, summary: string, signal: AbortSignal): Promise<void> {
  const { session } = thread;
  const id = session.record.newAgentId();
  const about = {
    agent_id: id,
    agent_type: "",
    stop_hook_active: false,
    agent_transcript_path: session.record.agentFile(id),
    last_assistant_message: summary,
    background_tasks: backgroundTasks(session),
    session_crons: [],
  };
  await fireAndHold(thread, "SubagentStop", about, { signal });
}

function summaryPrompt(additional: string): string {
  const suffix = additional === "" ? "" : `\n\nAdditional instructions:\n${additional}`;
  return `Summarize the conversation so far, so that work can continue from your summary alone. Keep what the user asked for, what was
decided and why, files and code that matter, errors and how they were fixed, and what is left to do. Answer with the summary only.${suffix}`;
}

function continuationText(summary: string, file: string): string {
  const plain = /<summary>([\s\S]*)<\/summary>/.exec(summary)?.[1]?.trim() ?? summary.trim();
  return `This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.

Summary:
${plain}

If you need details from before the summary, read the full transcript at: ${file}
Continue from where it left off, without asking further questions and without repeating the summary.`;
}
