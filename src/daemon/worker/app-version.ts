import { defaultDeadline, type FailureMode } from "../../sdk/internal.ts";
import type { Sources } from "../server/app-sources.ts";
import { type AppFacts, eventFacts, failedAnswer, type HookRequest, type WorkerAnswer } from "./messages.ts";
import { startWorkerThread, type WorkerThread, type WorkerThreadOptions } from "./worker-thread.ts";

export type AppVersion = Exclude<Awaited<ReturnType<typeof openAppVersion>>, string>;

/** `busy`: why no thread can answer now. A client then answers in process; for other callers the mode decides. */
export type WarmAnswer = WorkerAnswer | { readonly busy: string; readonly mode: FailureMode };

/** What the log gets for a call that its thread can no longer log. */
export interface Failure {
  readonly event: string;
  readonly session: unknown;
  readonly why: string;
  readonly log: AppFacts["log"];
}

export interface AppVersionOptions extends WorkerThreadOptions {
  readonly complain: (line: string) => void;
  /** Called for a call that no handler answered. */
  readonly failed: (failure: Failure, asked: HookRequest) => void;
}

const mostThreads = 8;

/** An app as it was loaded once, in as many threads as it takes to answer. Contract: a text when the app does not load. */
export async function openAppVersion(options: AppVersionOptions, sources: Sources) {
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
  /** Contract: settles in time; calls that it still has get no answer. */
  const end = async (): Promise<void> => {
    ending ??= Promise.all(threads.map((one) => (one.open === 0 ? close(one) : one.end())));
    await ending;
  };
  const endIfDone = () => {
    if (retired !== undefined && ending === undefined && open === 0) void end().then(retired);
  };

  const failedCall = (asked: HookRequest, facts: AppFacts, what: string): WorkerAnswer => {
    const about = eventFacts(asked.text);
    const [first, ...more] = facts.handlers.filter(({ event }) => event === about.event);
    // Which one it was is known only where there is no other.
    const who = first === undefined || more.length > 0 ? "A handler" : `The handler ${first.name}`;
    const why = `${who} of ${about.event} in ${options.file} ${what}.`;
    options.failed({ ...about, why, log: facts.log }, asked);
    return failedAnswer({ text: asked.text, transport: "http" }, modeOf(asked, facts), why);
  };

  const answer = async (asked: HookRequest, gone: AbortSignal): Promise<WarmAnswer> => {
    let again = false;
    for (let tries = 0; tries < mostThreads; tries++) {
      const only = threads.length === 1 ? threads[0] : undefined;
      const usable = only && !only.isStuck && !only.ended ? only : await thread();
      if (usable === undefined) break;
      const deadlineMs = () => deadlineOf(asked.text, usable.facts);
      const end = await usable.call(asked, { again, deadlineMs }, gone);
      if (end.kind === "answer") return end.answer;
      if (end.kind === "late") {
        const why = `blocked its thread past the deadline of ${end.afterMs} ms and was terminated`;
        return failedCall(asked, usable.facts, why);
      }
      // A call that may be innocent gets a second chance; one that ends its thread again does not.
      if (end.kind === "fell" && (end.alone || again)) {
        return failedCall(asked, usable.facts, `ended its thread${end.why}`);
      }
      // Handlers may have run in part: another thread may run them again, which the log records.
      if (end.kind === "interrupted" || end.kind === "fell") again = true;
    }
    const busy = ending === undefined ? "all worker threads are blocked" : "the daemon is exiting";
    // Only a call that has not begun may be answered elsewhere.
    if (again) return failedCall(asked, first.facts, `was interrupted: ${busy}`);
    return { busy, mode: modeOf(asked, first.facts) };
  };

  return {
    /** Set again when files were touched and have the same content. */
    sources,
    async call(asked: HookRequest, gone: AbortSignal): Promise<WarmAnswer> {
      open++;
      try {
        return await answer(asked, gone);
      } finally {
        open--;
        endIfDone();
      }
    },
    /** Takes no more calls; its threads end with the last of those it has. Then `over` is called. */
    retire(over: () => void): void {
      retired = over;
      endIfDone();
    },
    end,
  };
}

function deadlineOf(text: string, facts: AppFacts): number {
  const { event } = eventFacts(text);
  return facts.events[event]?.deadlineMs ?? defaultDeadline(event);
}

function modeOf({ text, onFailure }: HookRequest, facts: AppFacts): FailureMode {
  const modes = [onFailure, facts.events[eventFacts(text).event]?.onFailure ?? facts.onFailure];
  return modes.includes("block") ? "block" : "continue";
}
