import { answerWithoutHandlers, defaultDeadline, type FailureMode, readPayload } from "../../sdk/internal.ts";
import type { Sources } from "../server/app-sources.ts";
import {
  type AppFacts,
  type CallerLiveness,
  eventFacts,
  type HookRequest,
  type WorkerAnswer,
  workerAnswer,
} from "./messages.ts";
import { type CallEnd, startWorkerThread, type WorkerOptions, type WorkerThread } from "./worker-thread.ts";

/** An app as it was loaded once, in as many threads as it takes to answer. */
export interface AppVersion {
  /** Set again when files were touched and have the same content. */
  sources: Sources;
  call(asked: HookRequest, interest: CallerLiveness): Promise<AppVersionEnd>;
  /** Takes no more calls; its threads end with the last of those it has. Then `over` is called. */
  retire(over: () => void): void;
  /** Contract: settles in time; calls that it still has get no answer. */
  end(): Promise<void>;
}

export type AppVersionEnd =
  | Extract<CallEnd, { kind: "answer" }>
  | { readonly kind: "without-answer"; readonly answer: WorkerAnswer; readonly failure: Failure }
  /** No thread can answer; `mode` says what that means for callers that cannot answer in process. */
  | { readonly kind: "busy"; readonly why: string; readonly mode: FailureMode };

/** What the log gets for a call that its thread can no longer log. */
export interface Failure {
  readonly event: string;
  readonly session: unknown;
  readonly why: string;
  readonly log: AppFacts["log"];
}

export interface AppVersionOptions extends WorkerOptions {
  readonly complain: (line: string) => void;
}

const mostThreads = 8;

/** Contract: a text when the app does not load. */
export async function openAppVersion(options: AppVersionOptions, sources: Sources): Promise<AppVersion | string> {
  const first = await startWorkerThread(options);
  if (typeof first === "string") return first;
  let threads: WorkerThread[] = [first];
  let retired: (() => void) | undefined;
  let ending: Promise<unknown> | undefined;
  /** Calls without an end, whether or not a thread has them. */
  let open = 0;

  /** One that takes up calls. Threads that were needed while another was held leave when it is free again. */
  const pick = async (): Promise<WorkerThread | undefined> => {
    threads = threads.filter(({ ended }) => !ended);
    const usable = threads.filter(({ isStuck }) => !isStuck);
    for (const spare of usable.slice(1)) if (spare.open === 0) void close(spare);
    if (usable[0] !== undefined) return usable[0];
    if (threads.length >= mostThreads || ending !== undefined) return undefined;
    const opened = await startWorkerThread(options);
    if (typeof opened === "string") return undefined;
    // The generation may have been ended meanwhile.
    if (ending === undefined) threads.push(opened);
    else opened.end();
    return opened;
  };
  let picking: Promise<WorkerThread | undefined> | undefined;
  const thread = (): Promise<WorkerThread | undefined> => {
    picking ??= pick().finally(() => {
      picking = undefined;
    });
    return picking;
  };
  const close = async (one: WorkerThread) => {
    const problem = await one.close();
    if (problem !== undefined) options.complain(problem);
  };
  const end = async () => {
    ending ??= Promise.all(threads.map((one) => (one.open === 0 ? close(one) : one.end())));
    await ending;
  };
  const endIfDone = () => {
    if (retired !== undefined && ending === undefined && open === 0) void end().then(retired);
  };

  const answer = async (asked: HookRequest, interest: CallerLiveness): Promise<AppVersionEnd> => {
    let again = false;
    const busy = (): AppVersionEnd => {
      const why = ending === undefined ? "all threads are held by handlers" : "the daemon leaves";
      return { kind: "busy", why, mode: modeOf(asked, first.facts) };
    };
    for (let tries = 0; tries < mostThreads; tries++) {
      const usable = threads.length === 1 && threads[0] && isUsable(threads[0]) ? threads[0] : await thread();
      if (usable === undefined) return busy();
      const deadlineMs = () => deadlineOf(asked.text, usable.facts);
      const end = await usable.call(asked, { again, deadlineMs }, interest);
      if (end.kind === "answer") return end;
      if (end.kind === "late") {
        const why = `held its thread past the deadline of ${end.afterMs} ms and was ended`;
        return failedCall(asked, usable.facts, why);
      }
      // A call that may be innocent gets a second chance; one that ends its thread again does not.
      if (end.kind === "fell" && (end.alone || again)) {
        return failedCall(asked, usable.facts, `ended its thread${end.why}`);
      }
      // Handlers may have run in part. That is better than no answer, and the log records it.
      if (end.kind === "interrupted" || end.kind === "fell") again = true;
    }
    return busy();
  };

  return {
    sources,
    async call(asked, interest) {
      open++;
      try {
        return await answer(asked, interest);
      } finally {
        open--;
        endIfDone();
      }
    },
    retire(over) {
      retired = over;
      endIfDone();
    },
    end,
  };
}

function isUsable({ isStuck, ended }: WorkerThread): boolean {
  return !isStuck && !ended;
}

function deadlineOf(text: string, facts: AppFacts): number {
  const { event } = eventFacts(text);
  return facts.events[event]?.deadlineMs ?? defaultDeadline(event);
}

function failedCall(asked: HookRequest, facts: AppFacts, what: string): AppVersionEnd {
  const payload = readPayload(asked.text);
  const about = eventFacts(asked.text);
  const why = `A handler of ${about.event} ${what}.`;
  const value = "value" in payload ? payload.value : { hook_event_name: about.event };
  const failure = { ...about, why, log: facts.log };
  return {
    kind: "without-answer",
    answer: workerAnswer(answerWithoutHandlers(value, modeOf(asked, facts), why)),
    failure,
  };
}

function modeOf({ text, onFailure }: HookRequest, facts: AppFacts): FailureMode {
  const modes = [onFailure, facts.events[eventFacts(text).event]?.onFailure ?? facts.onFailure];
  return modes.includes("block") ? "block" : "continue";
}
