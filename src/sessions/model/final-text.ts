import { setTimeout as pause } from "node:timers/promises";
import { readEntries } from "../read/read-entries.ts";
import { readEntriesReverse } from "../read/read-reverse.ts";
import type { AssistantEntry, Entry, TranscriptItem } from "./entry.ts";
import { textsIn } from "./entry-text.ts";
import { type ModelCall, modelCallsOf } from "./model-call.ts";
import type { SessionModel } from "./session-model.ts";
import { isFinal, isStopFeedback } from "./session-turns.ts";

/** What the agent said last: the text of the last call of the last turn. Thinking, tools and agents are left out. */
export function finalText(model: SessionModel): string {
  const last = model.main.turns().turns.at(-1)?.calls.at(-1);
  return last === undefined ? "" : textOfCall(last);
}

/** The fields of a Stop payload that name the last answer. */
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
  /** How often the transcript is read. Default: 40. */
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
 * What the agent said last, asked at the moment it stops: all text blocks of its last answer, one per line. The last line may not be
 * on disk for some milliseconds, and the text found there may be the previous turn's: so the answer must belong to this turn, be
 * finished, and agree with the payload, which may hold only the last block.
 */
export async function finalTextAtStop(payload: StopPayload, options: StopTextOptions = {}): Promise<StopText> {
  const { attempts = 40, pauseMs = 50, clock = systemClock, signal } = options;
  const said = payload.last_assistant_message;
  const began = clock.now();
  const path = payload.agent_transcript_path ?? payload.transcript_path;
  const tail = path === undefined ? undefined : lastTurnReader(path, payload.agent_transcript_path !== undefined);
  let attempt = 0;
  while (tail !== undefined && attempt < attempts) {
    if (attempt > 0) await clock.sleep(pauseMs, signal);
    attempt++;
    const call = await tail.newestCall(signal);
    if (call === undefined || !isFinal(call)) continue;
    const text = textOfCall(call);
    if (said !== undefined && !matchesPayload(call, said)) continue;
    return { text, from: "transcript", attempts: attempt, waitedMs: clock.now() - began };
  }
  const waitedMs = clock.now() - began;
  if (said === undefined) return { text: "", from: "none", attempts: attempt, waitedMs };
  return { text: said, from: "payload", attempts: attempt, waitedMs };
}

/** Reads the turn at the end of a file from the back once, and after that only what was added. */
function lastTurnReader(file: string, isAgentFile: boolean) {
  let answers: AssistantEntry[] = [];
  let end: number | undefined;

  function take(item: TranscriptItem): void {
    if (item.kind === "unreadable" || (item.isSidechain === true && !isAgentFile)) return;
    if (startsTurn(item)) answers = [];
    else if (item.kind === "assistant") answers.push(item);
  }

  return {
    async newestCall(signal?: AbortSignal): Promise<ModelCall | undefined> {
      try {
        if (end === undefined) {
          const found: TranscriptItem[] = [];
          let whole = 0;
          for await (const item of readEntriesReverse(file, signal)) {
            if (item.kind !== "unreadable" && item.unterminated) continue;
            whole = Math.max(whole, item.offset);
            found.push(item);
            if (item.kind !== "unreadable" && (isAgentFile || item.isSidechain !== true) && startsTurn(item)) break;
          }
          for (const item of found.reverse()) take(item);
          end = whole;
          if (found.length > 0) answers = answers.filter(({ offset }) => offset < whole);
        }
        const reader = readEntries(file, { at: { offset: end, line: 1 }, tail: "keep", signal });
        for await (const batch of reader) for (const item of batch) take(item);
        end = reader.cursor.offset;
      } catch (error) {
        if (signal?.aborted) throw error;
        // Not there yet, or replaced under our hands: the next attempt looks again.
        return undefined;
      }
      const last = answers.at(-1);
      return last === undefined ? undefined : modelCallsOf(answers).find(({ lines }) => lines.includes(last));
    },
  };
}

/** Lines after which whatever was said before is no longer the last word. */
function startsTurn(entry: Entry): boolean {
  if (entry.kind !== "user") return false;
  return ["prompt", "notification", "teammate", "command"].includes(entry.role) || isStopFeedback(entry);
}

/** An agent reports all text blocks of its answer, with or without a line break between them, or the last one alone. */
function matchesPayload(call: ModelCall, said: string): boolean {
  const texts = textsIn(call.content);
  return [texts.join("\n"), texts.join(""), texts.at(-1) ?? ""].some((text) => text.trim() === said.trim());
}

function textOfCall(call: ModelCall): string {
  return textsIn(call.content).join("\n");
}
