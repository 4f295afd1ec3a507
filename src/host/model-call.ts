import {
  joinTurns,
  type ModelEnd,
  type ModelError,
  type ModelRequest,
  type ToolUseBlock,
  worthFallback,
} from "../models/index.ts";
import { reportSubagentStep, subagentUsage } from "./agents/agent-report.ts";
import { lineOwner } from "./channels.ts";
import { openDisplay } from "./display.ts";
import { effortOf } from "./effort.ts";
import { subjectOf } from "./front/subject.ts";
import { applyModelSwitch, warnAboutPrice } from "./model-switch.ts";
import { maxOutputTokens, totalTokens } from "./spending.ts";
import type { Thread } from "./thread.ts";
import { toolDefinitions } from "./tool-definitions.ts";

/** An answer that is in the transcript. `shown` is its text as hooks let it be seen. */
export type Answered = ModelEnd & { readonly calls: readonly BatchCall[]; readonly shown: string };

/** A tool call of an answer, with the line of the call in the transcript. */
export interface BatchCall {
  readonly call: ToolUseBlock;
  readonly lineUuid: string;
  /** The input is not a JSON object. */
  readonly unreadable?: boolean;
}

/** Asks the model of a thread, shows the text as it comes, and keeps the answer. A model that is overloaded makes way for its fallback. */
export async function askModel(thread: Thread, signal: AbortSignal): Promise<Answered | ModelError> {
  const { session, agent } = thread;
  const display = agent === undefined ? openDisplay(thread, signal) : undefined;
  const startedAt = session.options.clock.now();
  const timing = agent === undefined ? session.timing : undefined;
  timing?.at("requested");
  for await (const event of thread.model.port.stream(requestOf(thread), signal)) {
    if (event.type !== "retry" && event.type !== "error") timing?.at("answering");
    if (event.type !== "retry" && event.type !== "error" && event.type !== "end") timing?.at("speaking");
    if (agent === undefined) session.report({ kind: "partial", event });
    if (event.type === "text") display?.add(event.index, event.text);
    if (event.type === "retry") {
      session.report({ kind: "retry", retry: event });
      display?.reset();
    }
    if (event.type === "error") {
      display?.reset();
      return (await fellBack(thread, event)) ? askModel(thread, signal) : event;
    }
    if (event.type === "end") {
      const apiMs = session.options.clock.now() - startedAt;
      const { contextWindow } = thread.model.port;
      session.spending.add({ purpose: thread.purpose, model: event.model, usage: event.usage, apiMs, contextWindow });
      warnAboutPrice(thread);
      const shown = (await display?.end(event)) ?? textOf(event);
      return recordAnswer(thread, event, shown);
    }
  }
  throw new Error(`${thread.model.name} ended without an answer and without an error`);
}

/** The words of an answer, without thinking and calls. */
export function textOf({ content }: ModelEnd): string {
  return content.flatMap((block) => (block.type === "text" ? block.text : [])).join("");
}

function requestOf(thread: Thread): ModelRequest {
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
    ...(effort === undefined ? {} : { effort }),
    ...(thread.agent === undefined ? {} : { agent: thread.agent.type }),
  };
}

async function recordAnswer(thread: Thread, answer: ModelEnd, shown: string): Promise<Answered> {
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
    const usage = subagentUsage(thread);
    reportSubagentStep(thread, { is: "progress", tool: block.name, about: aboutCall(block), usage });
  }
  return { ...answer, calls, shown };
}

function aboutCall({ name, input }: ToolUseBlock): string {
  const subject = subjectOf(input);
  return name === "Bash" ? `Running ${subject}` : `${name} ${subject}`.trim();
}

/** Once per thread: an agent that fell back stays there. */
async function fellBack(thread: Thread, error: ModelError): Promise<boolean> {
  const { fallbackModel } = thread.session.options;
  if (fallbackModel === undefined || fallbackModel === thread.model.name || !worthFallback(error)) return false;
  await applyModelSwitch(thread, fallbackModel, "auto");
  return true;
}
