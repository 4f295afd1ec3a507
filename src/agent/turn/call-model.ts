import {
  answerOf,
  eventsOf,
  failureOf,
  incompleteAnswer,
  joinTurns,
  type ModelEnd,
  type ModelError,
  type ModelRequest,
  noUsage,
  textIn,
  worthFallback,
} from "../../models/internal.ts";
import { defined } from "../../protocol/internal.ts";
import { totalTokens } from "../../sessions/internal.ts";
import type { ApiFailureLine } from "../agent-event.ts";
import type { TurnResult } from "../session/agent-result.ts";
import { type AgentThread, effortOf, isSubagent, toolDefinitions } from "../session/agent-session.ts";
import type { BatchCall } from "../session/conversation-history.ts";
import { applyModelSwitch, warnAboutPrice } from "../session/session-model.ts";
import { maxOutputTokens } from "../session/spending.ts";
import { reportSubagentCall } from "../subagents/subagent-report.ts";
import { openDisplay } from "./answer-display.ts";
import { lineOwner } from "./channels.ts";
import { notifyHooks } from "./fire-event.ts";

/** An answer that is in the transcript. `shown` is its text after MessageDisplay hooks. */
export type RecordedAnswer = ModelEnd & { readonly calls: readonly BatchCall[]; readonly shown: string };

/** Calls the model of a thread, shows the streamed text and records the answer. Switches to the fallback model on overload. */
export async function askModel(thread: AgentThread, signal: AbortSignal): Promise<RecordedAnswer | ModelError> {
  const { session, agent } = thread;
  const display = agent === undefined ? openDisplay(thread, signal) : undefined;
  const startedAt = session.options.clock.now();
  const spending = agent === undefined ? session.spending : undefined;
  spending?.at("requested");
  for await (const event of eventsOf(thread.model.port, requestOf(thread), signal)) {
    const isFailure = event.type === "retry" || event.type === "error";
    if (isFailure) display?.reset();
    else spending?.at("answering");
    if (!isFailure && event.type !== "end") spending?.at("speaking");
    if (agent === undefined) session.report({ kind: "partial", event });
    if (event.type === "text") display?.add(event.index, event.text);
    if (event.type === "retry") session.report({ kind: "retry", retry: event });
    if (event.type === "error") return (await fallBack(thread, event)) ? askModel(thread, signal) : event;
    if (event.type === "end") {
      const apiMs = session.options.clock.now() - startedAt;
      const { contextWindow } = thread.model.port;
      session.spending.add({ purpose: thread.purpose, model: event.model, usage: event.usage, apiMs, contextWindow });
      warnAboutPrice(thread);
      const shown = (await display?.end(event)) ?? textIn(event.content);
      return recordAnswer(thread, event, shown);
    }
  }
  return incompleteAnswer;
}

function requestOf(thread: AgentThread): ModelRequest {
  const effort = effortOf(thread);
  const { maxThinkingTokens = 0 } = thread.session.options;
  return {
    purpose: thread.purpose,
    model: thread.model.name,
    system: thread.system(),
    messages: joinTurns(thread.messages),
    tools: toolDefinitions(thread),
    maxTokens: maxOutputTokens,
    ...(maxThinkingTokens > 0 ? { thinkingTokens: maxThinkingTokens } : {}),
    ...defined({ effort, subagent: thread.agent?.type }),
  };
}

async function recordAnswer(thread: AgentThread, answer: ModelEnd, shown: string): Promise<RecordedAnswer> {
  const { session, journal, messages } = thread;
  const uuids = await journal.answer(answer);
  thread.tailAt = messages.length;
  if (answer.content.length > 0) messages.push({ role: "assistant", content: answer.content });
  thread.lastUsage = answer.usage;
  thread.contextTokens = totalTokens(answer.usage);
  const calls: BatchCall[] = [];
  for (const [index, block] of answer.content.entries()) {
    const lineUuid = uuids[index] ?? "";
    session.report({ kind: "assistant", answer, block, uuid: lineUuid, ...lineOwner(thread) });
    if (block.type !== "tool_use") continue;
    calls.push({ call: block, lineUuid, unreadable: block.id in (answer.broken ?? {}) });
    if (isSubagent(thread)) reportSubagentCall(thread, block);
  }
  return { ...answer, calls, shown };
}

/** Switches at most once per thread: a thread stays on its fallback model. */
async function fallBack(thread: AgentThread, error: ModelError): Promise<boolean> {
  const { fallbackModel } = thread.session.options;
  if (fallbackModel === undefined || fallbackModel === thread.model.name || !worthFallback(error)) return false;
  await applyModelSwitch(thread, fallbackModel, "auto");
  return true;
}

/** Calls the model outside the conversation: no tool is called and nothing is shown, but the cost counts. */
export async function askOnce(
  thread: AgentThread,
  request: Pick<ModelRequest, "purpose" | "model" | "system" | "messages"> & Partial<ModelRequest>,
  signal: AbortSignal,
): Promise<ModelEnd | ModelError> {
  const { clock } = thread.session.options;
  const startedAt = clock.now();
  const answer = await answerOf(thread.model.port, { tools: [], maxTokens: 8_000, ...request }, signal);
  if (answer.type === "end") {
    const { model, usage } = answer;
    thread.session.spending.add({ purpose: request.purpose, model, usage, apiMs: clock.now() - startedAt });
  }
  return answer;
}

/** A turn that the API ended. */
export interface ApiFailure extends ApiFailureLine {
  /** For the user, in place of an answer. */
  readonly text: string;
  readonly details?: string;
  /** The conversation no longer fits: a shorter one may. */
  readonly tooLong?: boolean;
}

export function apiFailure(error: ModelError): ApiFailure {
  const { status, message, errorType } = error;
  const failure = failureOf(error);
  const tooLong = failure === "invalid_request";
  if (status === undefined) return { error: failure, text: `API Error: ${message}`, tooLong };
  const details = `${status} ${JSON.stringify({ type: "error", error: { type: errorType, message } })}`;
  const text = `API Error: ${status} ${message}`;
  return { error: failure, text, status, type: errorType, tooLong, ...(tooLong ? { details } : {}) };
}

/** Ends the turn without an answer: writes an error line and fires StopFailure instead of Stop, without waiting for its hooks. */
export async function failTurn(thread: AgentThread, failure: ApiFailure): Promise<TurnResult> {
  const { session, journal, agent } = thread;
  const { error, text, status, type, details } = failure;
  const block = { type: "text", text } as const;
  const answer: ModelEnd = {
    type: "end",
    id: session.options.uuid(),
    model: "<synthetic>",
    content: [block],
    usage: noUsage,
    stopReason: "stop_sequence",
  };
  const [uuid = ""] = await journal.answer(answer, {
    error,
    isApiErrorMessage: true,
    ...defined({ apiErrorStatus: status, errorDetails: details }),
  });
  const line: ApiFailureLine = { error, ...defined({ status, type }) };
  session.report({ kind: "assistant", answer, block, uuid, failure: line, ...lineOwner(thread) });
  if (agent === undefined) {
    const about = { error, ...defined({ error_details: details }), last_assistant_message: text };
    notifyHooks(thread, "StopFailure", about);
  }
  return { by: "api_error", text, ...line };
}
