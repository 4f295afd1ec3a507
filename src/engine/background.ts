import type { HookRef, RunRecord } from "../protocol/index.ts";
import { slots } from "./slots.ts";

/** A hook that runs on after its event was settled. */
export interface BackgroundEntry {
  readonly id: string;
  readonly hook: HookRef;
  readonly sessionId: string;
  readonly toolName?: string;
  readonly startedAt: number;
  readonly limitMs: number;
  readonly state: "waiting" | "running" | "ended";
  readonly stdout: string;
  readonly stderr: string;
  readonly delivered: boolean;
}

/** What a background hook had to say, in texts for the model. */
export interface BackgroundAnswer {
  readonly id: string;
  readonly hook: HookRef;
  readonly texts: readonly string[];
  readonly record: RunRecord;
}

export interface BackgroundRun {
  readonly id: string;
  readonly hook: HookRef;
  readonly sessionId: string;
  readonly toolName?: string;
  readonly startedAt: number;
  readonly limitMs: number;
  /** Left alive when the engine closes. */
  readonly detached: boolean;
  soFar(): { readonly stdout: string; readonly stderr: string };
  /** Contract: never rejects. */
  readonly done: Promise<BackgroundAnswer | undefined>;
  cancel(): void;
}

export interface Background {
  /** Waits for one of the few places, then starts; none is dropped. */
  start(begin: () => BackgroundRun): Promise<void>;
  /** Takes over a run that is already going. */
  adopt(run: BackgroundRun): void;
  list(): readonly BackgroundEntry[];
  /** Hands each finished answer over exactly once, in order of ending. */
  take(sessionId: string): readonly BackgroundAnswer[];
  /** Ends what still runs, after `waitMs` of grace. */
  close(waitMs: number): Promise<void>;
}

const mostAtOnce = 8;
/** Ended entries that are kept for `list()`; answers nobody takes must not grow for ever. */
const mostEnded = 1_000;

export function background(): Background {
  const places = slots(mostAtOnce);
  const running = new Map<string, BackgroundRun>();
  const ended: { run: BackgroundRun; answer: BackgroundAnswer | undefined; delivered: boolean }[] = [];
  const ending = new AbortController();

  function adopt(run: BackgroundRun): Promise<void> {
    running.set(run.id, run);
    return run.done.then((answer) => {
      running.delete(run.id);
      ended.push({ run, answer, delivered: false });
      if (ended.length > mostEnded) ended.shift();
    });
  }

  return {
    adopt: (run) => void adopt(run),
    async start(begin) {
      const release = await places.take(ending.signal);
      if (release === undefined) return;
      void adopt(begin()).finally(release);
    },
    list: () => [
      ...ended.map(({ run, delivered }) => entryOf(run, "ended", delivered)),
      ...[...running.values()].map((run) => entryOf(run, "running", false)),
    ],
    take(sessionId) {
      const due = ended.filter(
        ({ run, answer, delivered }) => run.sessionId === sessionId && answer !== undefined && !delivered,
      );
      for (const item of due) item.delivered = true;
      return due.flatMap(({ answer }) => (answer === undefined ? [] : [answer]));
    },
    async close(waitMs) {
      ending.abort();
      const open = [...running.values()].filter((run) => !run.detached);
      if (open.length === 0) return;
      const all = Promise.all(open.map((run) => run.done));
      if (waitMs > 0) await withinMs(waitMs, all);
      for (const run of open) run.cancel();
      await all;
    },
  };
}

/** Waits for the work or the time, whichever ends first, and leaves no timer behind that would keep the process alive. */
async function withinMs(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const time = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, time]);
  clearTimeout(timer);
}

function entryOf(run: BackgroundRun, state: BackgroundEntry["state"], delivered: boolean): BackgroundEntry {
  const { id, hook, sessionId, toolName, startedAt, limitMs } = run;
  return {
    id,
    hook,
    sessionId,
    ...(toolName ? { toolName } : {}),
    startedAt,
    limitMs,
    state,
    ...run.soFar(),
    delivered,
  };
}
