import type { ToolUseBlock } from "../models/index.ts";
import { apiFailure, failTurn } from "./api-failure.ts";
import type { Attachment } from "./attachment.ts";
import { compactWhenFull, madeRoom } from "./compact.ts";
import { fire } from "./fire.ts";
import { askAgain, goOn, leaveUndone } from "./go-on.ts";
import { limitReached, overBudget } from "./limits.ts";
import { askModel, textOf } from "./model-call.ts";
import { askToStop } from "./stop.ts";
import { attach, say, type Thread, taskOf } from "./thread.ts";
import { type CallEnd, callTool, unreadable } from "./tool-call.ts";

/** How a turn ended. `text` is what the person gets. */
export type TurnEnd =
  | { readonly by: "completed"; readonly text: string; readonly stopReason: string }
  /** A hook ended the loop after a tool. */
  | { readonly by: "hook_stopped"; readonly text: ""; readonly reason: string }
  /** A hook ended the turn where the agent wanted to end it anyway. */
  | { readonly by: "stop_hook_prevented"; readonly text: string; readonly reason: string }
  /** Hooks wanted the agent to go on more often than the cap allows. */
  | { readonly by: "stop_hook_cap"; readonly text: string; readonly reason: string }
  | { readonly by: "tool_deferred"; readonly text: ""; readonly call: ToolUseBlock }
  | { readonly by: "interrupted" | "prompt_blocked"; readonly text: string }
  | {
      readonly by: "api_error";
      readonly text: string;
      readonly error: string;
      readonly status?: number;
      readonly type?: string;
    }
  | { readonly by: "max_turns" | "max_budget_usd"; readonly text: string; readonly stopReason: string };

/**
 * One turn of a thread: ask the model, carry out what it calls, tell it what came of it, and so on until it has nothing more to do
 * and no hook wants more. The prompt is in the thread's messages already. The same loop serves the main thread and every agent.
 *
 * Contract: resolves for everything that models, tools, hooks and people do; an abort is `interrupted`. It rejects only when the
 * transcript cannot be written, or with a bug.
 */
export async function runTurn(thread: Thread, signal: AbortSignal): Promise<TurnEnd> {
  let text = "";
  let truncated = 0;
  let recovered = false;
  let askedAgain = false;
  try {
    for (let asked = 0; ; asked += 1) {
      const limit = limitReached(thread, asked);
      if (limit !== undefined) return { by: limit, text, stopReason: "tool_use" };
      await takeNews(thread);
      await compactWhenFull(thread, signal);

      const answer = await askModel(thread, signal);
      if (answer.type === "error") {
        if (signal.aborted) return await interrupt(thread, text);
        const failure = apiFailure(answer);
        if (recovered || !(await madeRoom(thread, failure, signal))) return await failTurn(thread, failure);
        recovered = true;
        continue;
      }
      text = textOf(answer);
      recovered = false;
      truncated = cutShort.has(answer.stopReason) ? truncated + 1 : 0;
      const calls = answer.content.filter((block) => block.type === "tool_use");
      const over = overBudget(thread);
      if (over || answer.stopReason === "refusal" || truncated > mostTruncated) {
        leaveUndone(thread, calls);
        if (over) return { by: "max_budget_usd", text, stopReason: answer.stopReason };
        return await failTurn(thread, truncated > mostTruncated ? outOfTokens : refusal);
      }
      if (calls.length > 0) {
        const end = await runBatch(thread, calls, answer.lines.byCall, signal, answer.broken);
        if (end !== undefined) return end;
      } else if (truncated > 0) {
        await askAgain(thread, "Your answer was cut at the output limit. Go on exactly where it ended.");
      } else if (text.trim() === "" && !askedAgain) {
        askedAgain = true;
        await askAgain(thread, "Your last answer held no text. Go on, and write an answer that the user can see.");
      } else {
        const end = await askToStop(thread, { text, shown: answer.shown, stopReason: answer.stopReason }, signal);
        if (end !== undefined) return end;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    return await interrupt(thread, text);
  }
}

/** An answer ended at the output limit, or because the window is full: then the conversation is compacted before the next call. */
const cutShort: ReadonlySet<string> = new Set(["max_tokens", "model_context_window_exceeded"]);

/** Answers in a row that may be cut at the output limit. */
const mostTruncated = 3;

const refusal = { error: "invalid_request", text: "API Error: the model refused to answer." };
const outOfTokens = { error: "max_output_tokens", text: "API Error: the answer is longer than the output limit." };

/** What background hooks said and what agents in the background came to, told before the model is asked next. */
async function takeNews(thread: Thread): Promise<void> {
  const { engine, record, inbox } = thread.session;
  for (const message of thread.mail?.splice(0) ?? []) await goOn(thread, message);
  if (thread.agent !== undefined) return;
  const late = engine.background.take(record.id);
  const answers = late.map(({ id, hook, occasion, texts, record: { stdout, stderr, ended } }) => ({
    type: "async_hook_response",
    processId: id,
    hookName: occasion,
    hookEvent: hook.event,
    response: { hookSpecificOutput: { hookEventName: hook.event, additionalContext: texts.join("\n") } },
    stdout,
    stderr,
    exitCode: ended.by === "exit" ? ended.code : null,
  }));
  const news: Attachment[] = [];
  for (const { content } of inbox.takeNews()) {
    await thread.journal.note({ type: "queue-operation", operation: "remove" });
    news.push({ type: "queued_command", prompt: content, commandMode: "task-notification" });
  }
  await attach(thread, [...answers, ...news]);
}

/** All calls of one answer, side by side. Each result stands under its own call; hooks' words follow when all are there. */
export async function runBatch(
  thread: Thread,
  calls: readonly ToolUseBlock[],
  lines: ReadonlyMap<string, string>,
  signal: AbortSignal,
  /** Calls whose input was no JSON, with what the model wrote. */
  broken: Readonly<Record<string, string>> = {},
): Promise<TurnEnd | undefined> {
  const ends = await Promise.all(
    calls.map(async (call) => {
      const end = call.id in broken ? unreadable(call) : await callTool(thread, call, signal);
      if (end.deferred !== true) await keepResult(thread, end, lines.get(call.id) ?? "");
      return end;
    }),
  );
  const results = ends.flatMap(({ deferred, result }) => (deferred === true ? [] : [result]));
  const notes = ends.flatMap((end) => end.notes);
  if (results.length > 0) say(thread, results);
  await attach(thread, notes);
  for (const { after } of ends) if (after !== undefined) await goOn(thread, after);
  signal.throwIfAborted();

  const deferred = ends.find((end) => end.deferred === true);
  if (deferred !== undefined) return { by: "tool_deferred", text: "", call: deferred.call };
  if (ends.some((end) => end.interrupt === true)) return await interrupt(thread, "");
  const batch = await fire(thread, "PostToolBatch", { tool_calls: ends.map(spelled) }, { signal });
  const reasons = ends.flatMap(({ stop }) => stop ?? []);
  if (batch.blocked || !batch.continue) reasons.push(batch.stopReason ?? batch.reason ?? "");
  const [reason] = reasons;
  return reason === undefined ? undefined : { by: "hook_stopped", text: "", reason };
}

async function keepResult(thread: Thread, { result, toolUseResult }: CallEnd, source: string): Promise<void> {
  const { journal, session, agent } = thread;
  if (agent === undefined) session.turns += 1;
  const structured = agent === undefined ? { toolUseResult } : {};
  const uuid = await journal.result(result, { source, ...structured });
  const parentToolUseId = agent?.toolUseId ?? null;
  const task = taskOf(thread);
  const of = task === undefined ? {} : { agent: task };
  session.tell({ kind: "user", content: [result], uuid, toolUseResult, ...of, parentToolUseId });
}

function spelled({ call, input, result }: CallEnd) {
  return { tool_name: call.name, tool_input: input, tool_use_id: call.id, tool_response: result.content };
}

/** The person ended it: no Stop, and the model will know next time. */
async function interrupt(thread: Thread, text: string): Promise<TurnEnd> {
  const words = [{ type: "text" as const, text: "[Request interrupted by user]" }];
  await thread.journal.user(words);
  say(thread, words);
  return { by: "interrupted", text };
}
