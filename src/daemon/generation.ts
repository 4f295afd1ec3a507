import { readPayload, withoutAnswer } from "../sdk/index.ts";
import type { Interest } from "./interest.ts";
import { type AppFacts, type Asked, answerOf, type ThreadAnswer } from "./message.ts";
import type { Sources } from "./sources.ts";
import { type CallEnd, openThread, type Thread, type ThreadOptions } from "./threads.ts";

/** An app as it was loaded once, in as many threads as it takes to answer. */
export interface Generation {
  /** Set again when files were touched and say the same. */
  sources: Sources;
  call(asked: Asked, notice: string | undefined, interest: Interest): Promise<GenerationEnd>;
  readonly open: number;
  /** Takes no more calls; its threads end with the last of those it has. Then `over` is called. */
  retire(over: () => void): void;
  /** Contract: settles in time; calls that it still has get no answer. */
  end(): Promise<void>;
}

export type GenerationEnd =
  | Extract<CallEnd, { kind: "answer" }>
  | { readonly kind: "without-answer"; readonly answer: ThreadAnswer; readonly why: string }
  | { readonly kind: "busy" };

export interface GenerationOptions extends ThreadOptions {
  readonly complain: (line: string) => void;
}

const mostThreads = 8;
const usualDeadlineMs = 30_000;

/** Contract: a text when the app does not load. */
export async function openGeneration(options: GenerationOptions, sources: Sources): Promise<Generation | string> {
  const first = await openThread(options);
  if (typeof first === "string") return first;
  let threads: Thread[] = [first];
  let retired: (() => void) | undefined;
  let ending: Promise<unknown> | undefined;

  /** One that takes up calls. Threads that were needed while another was held leave when it is free again. */
  const pick = async (): Promise<Thread | undefined> => {
    threads = threads.filter(({ ended }) => !ended);
    const usable = threads.filter(({ held }) => !held);
    for (const spare of usable.slice(1)) if (spare.open === 0) void close(spare);
    if (usable[0] !== undefined) return usable[0];
    if (threads.length >= mostThreads) return undefined;
    const opened = await openThread(options);
    if (typeof opened === "string") return undefined;
    threads.push(opened);
    return opened;
  };
  let picking: Promise<Thread | undefined> | undefined;
  const thread = (): Promise<Thread | undefined> => {
    picking ??= pick().finally(() => {
      picking = undefined;
    });
    return picking;
  };
  const open = () => threads.reduce((sum, one) => sum + one.open, 0);
  const close = async (one: Thread) => {
    const problem = await one.close();
    if (problem !== undefined) options.complain(problem);
  };
  const end = async () => {
    ending ??= Promise.all(threads.map((one) => (one.open === 0 ? close(one) : one.end())));
    await ending;
  };
  const endIfDone = () => {
    if (retired !== undefined && ending === undefined && open() === 0) void end().then(retired);
  };

  return {
    sources,
    get open() {
      return open();
    },
    async call(asked, notice, interest) {
      let again = false;
      for (let tries = 0; tries < mostThreads; tries++) {
        const usable = threads.length === 1 && threads[0] && isUsable(threads[0]) ? threads[0] : await thread();
        if (usable === undefined) return { kind: "busy" };
        const deadlineMs = () => deadlineOf(asked.text, usable.facts);
        const end = await usable.call(asked, { notice, again, deadlineMs }, interest);
        endIfDone();
        if (end.kind === "answer") return end;
        if (end.kind === "late") return settleLate(asked, usable.facts, end.afterMs);
        // Handlers may have run in part; that is better than no answer, and the log says so.
        if (end.kind === "interrupted") again = true;
      }
      return { kind: "busy" };
    },
    retire(over) {
      retired = over;
      endIfDone();
    },
    end,
  };
}

function isUsable({ held, ended }: Thread): boolean {
  return !held && !ended;
}

function deadlineOf(text: string, facts: AppFacts): number {
  return facts.events[eventOf(text)]?.deadlineMs ?? usualDeadlineMs;
}

function eventOf(text: string): string {
  const payload = readPayload(text);
  return "value" in payload ? String(payload.value["hook_event_name"]) : "";
}

function settleLate(asked: Asked, facts: AppFacts, afterMs: number): GenerationEnd {
  const payload = readPayload(asked.text);
  const event = eventOf(asked.text);
  const why = `A handler of ${event} held its thread past the deadline of ${afterMs} ms and was ended.`;
  const modes = [asked.onFailure, facts.events[event]?.onFailure ?? facts.onFailure];
  const mode = modes.includes("block") ? "block" : "continue";
  const value = "value" in payload ? payload.value : { hook_event_name: event };
  return { kind: "without-answer", answer: answerOf(withoutAnswer(value, mode, why)), why };
}
