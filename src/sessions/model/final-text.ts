import { setTimeout as pause } from "node:timers/promises";
import { readEntries } from "../read/read-entries.ts";
import { readEntriesReverse } from "../read/read-reverse.ts";
import type { AssistantEntry, Entry, TranscriptItem } from "./entry.ts";
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
  readonly transcript_path?: string | undefined;
  readonly agent_transcript_path?: string | undefined;
  readonly last_assistant_message?: string | undefined;
}

export interface StopText {
  readonly text: string;
  /** Where the text was found; `none` when neither the transcript nor the payload has it. */
  readonly from: "transcript" | "payload" | "none";
  readonly attempts: number;
  readonly waitedMs: number;
}

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
  const { attempts = 40, pauseMs = 50, clock = systemClock, signal } = options;
  const message = payload.last_assistant_message;
  const startedMs = clock.now();
  const path = payload.agent_transcript_path ?? payload.transcript_path;
  const tail = path === undefined ? undefined : lastTurnReader(path, payload.agent_transcript_path !== undefined);
  let attempt = 0;
  while (tail !== undefined && attempt < attempts) {
    if (attempt > 0) await clock.sleep(pauseMs, signal);
    attempt++;
    const call = await tail.newestCall(signal);
    if (call === undefined || !isFinal(call)) continue;
    if (message !== undefined && !matchesPayload(call, message)) continue;
    return { text: textOfCall(call), from: "transcript", attempts: attempt, waitedMs: clock.now() - startedMs };
  }
  const from = message === undefined ? "none" : "payload";
  return { text: message ?? "", from, attempts: attempt, waitedMs: clock.now() - startedMs };
}

/** Reads the last turn of a file backward once, and after that only new lines. */
function lastTurnReader(file: string, isAgentFile: boolean) {
  let answers: AssistantEntry[] = [];
  let end: number | undefined;

  function isOwn(item: TranscriptItem): item is Entry {
    return item.kind !== "unreadable" && (isAgentFile || item.isSidechain !== true);
  }

  function add(item: TranscriptItem): void {
    if (!isOwn(item)) return;
    if (startsTurn(item)) answers = [];
    else if (item.kind === "assistant") answers.push(item);
  }

  /** Adds the last turn. The last complete line is left for the forward reader, which knows where it ends. */
  async function readLastTurn(signal: AbortSignal | undefined): Promise<number> {
    const items: TranscriptItem[] = [];
    let lastOffset = 0;
    for await (const item of readEntriesReverse(file, signal)) {
      if (item.kind !== "unreadable" && item.unterminated) continue;
      lastOffset = Math.max(lastOffset, item.offset);
      items.push(item);
      if (isOwn(item) && startsTurn(item)) break;
    }
    for (const item of items.reverse()) add(item);
    if (items.length > 0) answers = answers.filter(({ offset }) => offset < lastOffset);
    return lastOffset;
  }

  return {
    async newestCall(signal?: AbortSignal): Promise<ModelCall | undefined> {
      try {
        end ??= await readLastTurn(signal);
        const reader = readEntries(file, { at: { offset: end, line: 1 }, tail: "keep", signal });
        for await (const batch of reader) for (const item of batch) add(item);
        end = reader.cursor.offset;
      } catch (error) {
        if (signal?.aborted) throw error;
        // Not created yet, or replaced meanwhile: the next attempt reads again.
        return undefined;
      }
      const last = answers.at(-1);
      return last === undefined ? undefined : modelCallsOf(answers).find(({ lines }) => lines.includes(last));
    },
  };
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
