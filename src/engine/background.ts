import type { HookRef, RunRecord } from "../protocol/index.ts";
import { slots } from "./slots.ts";

/** What a hook in the background is, and since when and how long it may run. */
interface BackgroundHook {
  readonly id: string;
  readonly hook: HookRef;
  readonly sessionId: string;
  readonly toolName?: string;
  readonly startedAt: number;
  readonly limitMs: number;
}

/** A hook that runs on after its event was settled. */
export interface BackgroundEntry extends BackgroundHook {
  readonly state: "waiting" | "running" | "ended";
  readonly stdout: string;
  readonly stderr: string;
  readonly delivered: boolean;
}

/** What a background hook had to say, in texts for the model. */
export interface BackgroundAnswer {
  readonly id: string;
  readonly hook: HookRef;
  /** What it was started for: event and matched value, as in `PreToolUse:Bash`. */
  readonly occasion: string;
  readonly texts: readonly string[];
  readonly record: RunRecord;
}

/** A hook that is due to run in the background. */
export interface BackgroundJob extends BackgroundHook {
  /** Left alive when the engine closes. */
  readonly detached: boolean;
}

export interface BackgroundRun extends BackgroundJob {
  soFar(): { readonly stdout: string; readonly stderr: string };
  /** Contract: never rejects. */
  readonly done: Promise<BackgroundAnswer | undefined>;
  cancel(): void;
}

export interface Background {
  /** Waits for one of the few places, then starts; none is dropped. */
  start(job: BackgroundJob, begin: () => BackgroundRun): void;
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
  const waiting = new Map<string, BackgroundJob>();
  const running = new Map<string, BackgroundRun>();
  const ended: { run: BackgroundRun; answer: BackgroundAnswer | undefined; delivered: boolean }[] = [];
  /** What a close waits for. */
  const open = new Set<Promise<void>>();
  const ending = new AbortController();

  async function inItsTurn(job: BackgroundJob, begin: () => BackgroundRun): Promise<void> {
    waiting.set(job.id, job);
    const release = await places.take(ending.signal);
    waiting.delete(job.id);
    if (release === undefined) return;
    await toItsEnd(begin());
    release();
  }

  async function toItsEnd(run: BackgroundRun): Promise<void> {
    running.set(run.id, run);
    if (ending.signal.aborted && !run.detached) run.cancel();
    const answer = await run.done;
    running.delete(run.id);
    ended.push({ run, answer, delivered: false });
    if (ended.length > mostEnded) ended.shift();
  }

  function keepOpen({ detached }: BackgroundJob, work: Promise<void>): void {
    if (detached) return;
    open.add(work);
    void work.then(() => open.delete(work));
  }

  return {
    adopt: (run) => keepOpen(run, toItsEnd(run)),
    start: (job, begin) => keepOpen(job, inItsTurn(job, begin)),
    list: () => [
      ...ended.map(({ run, delivered }) => entryOf(run, "ended", run.soFar(), delivered)),
      ...[...running.values()].map((run) => entryOf(run, "running", run.soFar())),
      ...[...waiting.values()].map((job) => entryOf(job, "waiting", { stdout: "", stderr: "" })),
    ],
    take(sessionId) {
      const due = ended.filter(
        ({ run, answer, delivered }) => run.sessionId === sessionId && answer !== undefined && !delivered,
      );
      for (const item of due) item.delivered = true;
      return due.flatMap(({ answer }) => (answer === undefined ? [] : [answer]));
    },
    async close(waitMs) {
      if (waitMs > 0 && open.size > 0) await withinMs(waitMs, Promise.all(open));
      ending.abort();
      for (const run of running.values()) if (!run.detached) run.cancel();
      await Promise.all(open);
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

function entryOf(
  { id, hook, sessionId, toolName, startedAt, limitMs }: BackgroundJob,
  state: BackgroundEntry["state"],
  soFar: { readonly stdout: string; readonly stderr: string },
  delivered = false,
): BackgroundEntry {
  return {
    id,
    hook,
    sessionId,
    ...(toolName ? { toolName } : {}),
    startedAt,
    limitMs,
    state,
    ...soFar,
    delivered,
  };
}
