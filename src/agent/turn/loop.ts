import { type ToolUseBlock, textIn } from "../../models/internal.ts";
import type { ApiFailureLine } from "../agent-event.ts";
import type { AgentThread } from "../session/agent-session.ts";
import { takeNotifications } from "../session/inbox.ts";
import { apiFailure, askModel, type BatchCall, failTurn } from "./call-model.ts";
import { callTool, interruptedEnd, invalidInput, type ToolCallEnd } from "./call-tool.ts";
import {
  addUserMessage,
  answerSkippedCalls,
  askModelAgain,
  countTurn,
  lineOwner,
  recordNotes,
  tellModel,
  tellModelAsHost,
} from "./channels.ts";
import { compactAfterTooLong, compactWhenFull } from "./compact.ts";
import { fire } from "./fire-event.ts";
import { askToStop } from "./stop.ts";

/** How a turn ended. `text` is shown to the user. */
export type TurnResult =
  | { readonly by: "completed"; readonly text: string; readonly stopReason: string }
  /** A hook ended the turn before or after a tool call. */
  | { readonly by: "hook_stopped"; readonly text: ""; readonly reason: string }
  /** A Stop hook returned `continue: false`, or Stop hooks refused the end more often than the cap allows. */
  | { readonly by: "stop_hook_prevented" | "stop_hook_cap"; readonly text: string; readonly reason: string }
  | { readonly by: "tool_deferred"; readonly text: ""; readonly call: ToolUseBlock }
  | { readonly by: "interrupted" | "prompt_blocked"; readonly text: string }
  | ({ readonly by: "api_error"; readonly text: string } & ApiFailureLine)
  | { readonly by: "max_turns" | "max_budget_usd"; readonly text: string; readonly stopReason: string };

/**
 * Runs one turn of the main thread or of a subagent: calls the model, runs its tool calls and returns their results, until the model
 * makes no more calls and no hook continues the turn. The prompt is already in the thread's messages.
 *
 * Contract: resolves whatever models, tools, hooks and the user do; an abort is `interrupted`. Rejects only when the transcript
 * cannot be written.
 */
export async function runTurn(thread: AgentThread, signal: AbortSignal): Promise<TurnResult> {
  let text = "";
  /** Answers in a row that were cut at the output limit. */
  let cutAnswers = 0;
  /** A request that is too long is tried again once on a compacted conversation. */
  let compactedForThisCall = false;
  /** An empty answer is asked again once per turn. */
  let askedForText = false;
  try {
    for (let asked = 0; ; asked += 1) {
      const limit = limitReached(thread, asked);
      if (limit !== undefined) return { by: limit, text, stopReason: "tool_use" };
      await takeNotifications(thread);
      await compactWhenFull(thread, signal);

      const answer = await askModel(thread, signal);
      if (answer.type === "error") {
        if (signal.aborted) return await interruptTurn(thread, text);
        const failure = apiFailure(answer);
        if (compactedForThisCall || !(await compactAfterTooLong(thread, failure, signal)))
          return await failTurn(thread, failure);
        compactedForThisCall = true;
        continue;
      }
      text = textIn(answer.content);
      compactedForThisCall = false;
      cutAnswers = cutShort.has(answer.stopReason) ? cutAnswers + 1 : 0;
      const over = overBudget(thread);
      if (over || answer.stopReason === "refusal" || cutAnswers > maxCutAnswers) {
        answerSkippedCalls(thread, answer.calls);
        if (over) return { by: "max_budget_usd", text, stopReason: answer.stopReason };
        return await failTurn(thread, cutAnswers > maxCutAnswers ? outOfTokens : refusal);
      }
      if (answer.calls.length > 0) {
        const end = await runBatch(thread, answer.calls, signal);
        if (end !== undefined) return end;
      } else if (cutAnswers > 0) {
        await askModelAgain(thread, answerWasCut);
      } else if (text.trim() === "" && !askedForText) {
        askedForText = true;
        await askModelAgain(thread, answerIsEmpty);
      } else {
        const end = await askToStop(thread, answer, signal);
        if (end !== undefined) return end;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    return await interruptTurn(thread, text);
  }
}

/** Stop reasons of incomplete answers: the output limit, or a full window, which is compacted before the next call. */
const cutShort: ReadonlySet<string> = new Set(["max_tokens", "model_context_window_exceeded"]);

/** Answers in a row that may be cut at the output limit. */
const maxCutAnswers = 3;

const answerWasCut = "Your answer was cut at the output limit. Continue exactly where it ended.";
const answerIsEmpty = "Your last answer had no text. Continue, and write an answer that the user can see.";

const refusal = { error: "invalid_request", text: "API Error: the model refused to answer." };
const outOfTokens = { error: "max_output_tokens", text: "API Error: the answer is longer than the output limit." };

/** Runs all calls of one answer in parallel. Attachments of hooks follow when all results are recorded. */
export async function runBatch(
  thread: AgentThread,
  calls: readonly BatchCall[],
  signal: AbortSignal,
): Promise<TurnResult | undefined> {
  const ends = await Promise.all(
    calls.map(async ({ call, lineUuid, unreadable }) => {
      const end = unreadable === true ? invalidInput(call) : await callTool(thread, call, signal);
      if (end.deferred !== true) await recordResult(thread, end, lineUuid);
      return end;
    }),
  );
  const results = ends.flatMap(({ deferred, result }) => (deferred === true ? [] : [result]));
  const notes = ends.flatMap((end) => end.notes);
  if (results.length > 0) tellModel(thread, results);
  await recordNotes(thread, notes);
  for (const { after } of ends) if (after !== undefined) await tellModelAsHost(thread, after);

  const deferred = ends.find((end) => end.deferred === true);
  if (deferred !== undefined && !signal.aborted) return { by: "tool_deferred", text: "", call: deferred.call };
  // After an interrupt no call waits for a later run: each needs a result before the next request.
  for (const [index, end] of ends.entries()) {
    if (end.deferred !== true) continue;
    const interrupted = interruptedEnd(end);
    await recordResult(thread, interrupted, calls[index]?.lineUuid ?? "");
    tellModel(thread, [interrupted.result]);
  }
  signal.throwIfAborted();
  if (ends.some((end) => end.interrupt === true)) return await interruptTurn(thread, "");
  const batch = await fire(thread, "PostToolBatch", { tool_calls: ends.map(batchEntry) }, { signal });
  const reasons = ends.flatMap(({ stop }) => stop ?? []);
  if (batch.blocked || !batch.continue) reasons.push(batch.stopReason ?? batch.reason ?? "");
  const [reason] = reasons;
  return reason === undefined ? undefined : { by: "hook_stopped", text: "", reason };
}

async function recordResult(thread: AgentThread, end: ToolCallEnd, callUuid: string): Promise<void> {
  const { journal, session, agent } = thread;
  const { result, toolUseResult } = end;
  countTurn(thread);
  const uuid = await journal.result(result, callUuid, agent === undefined ? toolUseResult : undefined);
  session.report({ kind: "user", content: [result], uuid, toolUseResult, ...lineOwner(thread) });
}

function batchEntry({ call, input, result }: ToolCallEnd) {
  return { tool_name: call.name, tool_input: input, tool_use_id: call.id, tool_response: result.content };
}

/** The user interrupted: no Stop, and the model sees it in the next turn. */
async function interruptTurn(thread: AgentThread, text: string): Promise<TurnResult> {
  await addUserMessage(thread, [{ type: "text", text: "[Request interrupted by user]" }]);
  return { by: "interrupted", text };
}

/** The limit that ends a turn before the next model call, if one is reached. */
function limitReached(thread: AgentThread, asked: number): "max_turns" | "max_budget_usd" | undefined {
  if (thread.maxCalls !== undefined && asked >= thread.maxCalls) return "max_turns";
  return overBudget(thread) ? "max_budget_usd" : undefined;
}

/** Whether the session has used up its budget. */
function overBudget({ session: { options, spending } }: AgentThread): boolean {
  return options.maxBudgetUsd !== undefined && spending.costUsd >= options.maxBudgetUsd;
}
