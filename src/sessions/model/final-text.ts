import { stat } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { checkCallOptions } from "../option-checks.ts";
import { readEntriesReverse } from "../read/read-entries.ts";
import type { AssistantEntry, Entry } from "./entry.ts";
import { textsIn } from "./entry-text.ts";
import { type ModelCall, modelCallsOf } from "./model-call.ts";
import type { SessionModel } from "./session-model.ts";
import { isFinal, isStopFeedback } from "./session-turns.ts";

/** The text of the last call of the last turn, without thinking, tools and subagents. */
export function finalText(model: SessionModel): string {
  const last = model.main.turns().turns.at(-1)?.calls.at(-1);
  return last === undefined ? "" : textOfCall(last);
}

/** The fields of a Stop payload that lead to the last answer. */
export interface StopPayload {
  /** The transcript of the session. */
  readonly transcript_path?: string | undefined;
  /** The transcript of the subagent, on SubagentStop. */
  readonly agent_transcript_path?: string | undefined;
  /** The text, if the agent sends it. */
  readonly last_assistant_message?: string | undefined;
}

/** The result of `finalTextAtStop`: the text of the last answer and its source. */
export interface StopText {
  readonly text: string;
  /** Where the text was found; `none` when neither the transcript nor the payload has it. */
  readonly from: "transcript" | "payload" | "none";
  readonly attempts: number;
  readonly waitedMs: number;
}

/** Options of `finalTextAtStop`. */
export interface StopTextOptions {
  /** Aborts the wait. */
  readonly signal?: AbortSignal;
  /** How often to read the transcript. Default: 40. */
  readonly attempts?: number;
  /** Pause between two reads. Default: 50. */
  readonly pauseMs?: number;
  /** Replaces the clock, for tests. */
  readonly clock?: { now(): number; sleep(ms: number, signal?: AbortSignal): Promise<unknown> };
}

const systemClock = {
  now: () => Date.now(),
  sleep: (ms: number, signal?: AbortSignal) => pause(ms, undefined, signal && { signal }),
};

/**
 * The text of the last answer at the moment an agent stops: all its text blocks, one per line. The agent may write the last line some
 * milliseconds later, so this reads until the answer belongs to this turn, is finished, and agrees with the payload, which may contain
 * only the last block.
 */
export async function finalTextAtStop(payload: StopPayload, options: StopTextOptions = {}): Promise<StopText> {
  checkCallOptions("finalTextAtStop", options, ["signal", "attempts", "pauseMs", "clock"]);
  const { attempts = 40, pauseMs = 50, clock = systemClock, signal } = options;
  const message = payload.last_assistant_message;
  const startedMs = clock.now();
  const path = payload.agent_transcript_path ?? payload.transcript_path;
  const isAgentFile = payload.agent_transcript_path !== undefined;
  let attempt = 0;
  let size: number | undefined;
  while (path !== undefined && attempt < attempts) {
    if (attempt > 0) await clock.sleep(pauseMs, signal);
    attempt++;
    const sizeBefore = size;
    size = (await stat(path).catch(() => undefined))?.size;
    // A long turn is read again only when the file has changed.
    const call = size === sizeBefore ? undefined : await newestCall(path, isAgentFile, signal);
    if (call === undefined || !isFinal(call)) continue;
    if (message !== undefined && !matchesPayload(call, message)) continue;
    return { text: textOfCall(call), from: "transcript", attempts: attempt, waitedMs: clock.now() - startedMs };
  }
  const from = message === undefined ? "none" : "payload";
  return { text: message ?? "", from, attempts: attempt, waitedMs: clock.now() - startedMs };
}

/** The last call of the last turn. Undefined when that turn has none, and while the file does not exist or is replaced. */
async function newestCall(file: string, isAgentFile: boolean, signal?: AbortSignal): Promise<ModelCall | undefined> {
  const answers: AssistantEntry[] = [];
  try {
    for await (const item of readEntriesReverse(file, signal)) {
      if (item.kind === "unreadable" || item.unterminated || (item.isSidechain === true && !isAgentFile)) continue;
      if (startsTurn(item)) break;
      if (item.kind === "assistant") answers.push(item);
    }
  } catch (error) {
    if (signal?.aborted) throw error;
    return undefined;
  }
  const [last] = answers;
  return last && modelCallsOf(answers.reverse()).find(({ lines }) => lines.includes(last));
}

/** True for lines after which earlier answers no longer count. */
function startsTurn(entry: Entry): boolean {
  if (entry.kind !== "user") return false;
  return ["prompt", "notification", "teammate", "command"].includes(entry.role) || isStopFeedback(entry);
}

/** Agents report all text blocks of an answer, with or without a line break between them, or only the last block. */
function matchesPayload(call: ModelCall, message: string): boolean {
  const texts = textsIn(call.content);
  return [texts.join("\n"), texts.join(""), texts.at(-1) ?? ""].some((text) => text.trim() === message.trim());
}

function textOfCall(call: ModelCall): string {
  return textsIn(call.content).join("\n");
}
