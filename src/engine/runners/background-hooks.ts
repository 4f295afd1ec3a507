import type { HookRef, RunRecord, Warning } from "../../protocol/internal.ts";
import { withinMs } from "../fire/in-flight.ts";
import { slots } from "./run-limits.ts";

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

export function background(warn: (warning: Warning) => void): Background {
  const places = slots(mostAtOnce);
  const waiting = new Map<string, BackgroundJob>();
  const running = new Map<string, BackgroundRun>();
  const ended = endedRuns(warn);
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
    // An answer and its entry share their texts.
    const { stdout, stderr } = answer?.record ?? run.soFar();
    ended.add({ job: jobOf(run), stdout, stderr, answer });
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
      ...ended.list().map((run) => entryOf(run.job, "ended", () => run, run.delivered)),
      ...[...running.values()].map((run) => entryOf(run, "running", run.soFar)),
      ...[...waiting.values()].map((job) => entryOf(job, "waiting", nothing)),
    ],
    take: ended.take,
    async close(waitMs) {
      if (waitMs > 0 && open.size > 0) await withinMs(waitMs, Promise.all(open));
      ending.abort();
      for (const run of running.values()) if (!run.detached) run.cancel();
      await Promise.all(open);
    },
  };
}

/** Without the run itself, whose buffers are free from here on. */
function jobOf({ soFar: _, done: __, cancel: ___, ...job }: BackgroundRun): BackgroundJob {
  return job;
}

const nothing = () => ({ stdout: "", stderr: "" });

/** What a hook printed is read when somebody looks at it: hosts ask for the states often, and for megabytes of text seldom. */
function entryOf(
  { id, hook, sessionId, toolName, startedAt, limitMs }: BackgroundJob,
  state: BackgroundEntry["state"],
  soFar: () => { readonly stdout: string; readonly stderr: string },
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
    get stdout() {
      return soFar().stdout;
    },
    get stderr() {
      return soFar().stderr;
    },
    delivered,
  };
}

/** A background hook that has ended, and its answer until somebody took it. */
interface EndedRun {
  readonly job: BackgroundJob;
  readonly stdout: string;
  readonly stderr: string;
  readonly answer: BackgroundAnswer | undefined;
}

interface EndedRuns {
  add(run: EndedRun): void;
  /** In order of ending. */
  list(): readonly (EndedRun & { readonly delivered: boolean })[];
  /** Hands each answer of a session over exactly once, in order of ending. */
  take(sessionId: string): readonly BackgroundAnswer[];
}

interface Kept extends Omit<EndedRun, "answer"> {
  /** Gone with its delivery. */
  answer: BackgroundAnswer | undefined;
  delivered: boolean;
  readonly size: number;
}

/** What is kept of one session. */
const mostRuns = 1_000;
const mostSize = 16 * 1024 * 1024;

/**
 * Background hooks that have ended. Contract: bounded per session; runs without a pending answer are dropped first, and an
 * answer that is dropped before it was taken is a warning.
 */
function endedRuns(warn: (warning: Warning) => void): EndedRuns {
  const runs: Kept[] = [];

  function drop(run: Kept): void {
    runs.splice(runs.indexOf(run), 1);
    if (isOwed(run)) warn(lost(run));
  }

  function keepWithinLimits(sessionId: string): void {
    for (;;) {
      const own = runs.filter(({ job }) => job.sessionId === sessionId);
      const size = own.reduce((sum, run) => sum + run.size, 0);
      if (own.length <= mostRuns && size <= mostSize) break;
      const next = own.find((run) => !isOwed(run)) ?? own[0];
      if (next === undefined) break;
      drop(next);
    }
    // Sessions come and go while the engine is open: runs without a pending answer are limited over all sessions.
    const settled = runs.filter((run) => !isOwed(run));
    for (const run of settled.slice(0, Math.max(0, settled.length - mostRuns))) drop(run);
  }

  return {
    add(run) {
      runs.push({ ...run, delivered: false, size: sizeOf(run) });
      keepWithinLimits(run.job.sessionId);
    },
    list: () => runs,
    take(sessionId) {
      const due = runs.filter((run) => run.job.sessionId === sessionId && isOwed(run));
      const answers = due.flatMap(({ answer }) => answer ?? []);
      for (const run of due) Object.assign(run, { delivered: true, answer: undefined });
      if (due.length > 0) keepWithinLimits(sessionId);
      return answers;
    },
  };
}

function isOwed({ answer }: Kept): boolean {
  return answer !== undefined;
}

/** Characters; the texts of an answer are parts of what the hook printed, its record holds the output itself. */
function sizeOf({ stdout, stderr, answer }: EndedRun): number {
  const texts = answer?.texts.reduce((sum, text) => sum + text.length, 0) ?? 0;
  return stdout.length + stderr.length + texts;
}

function lost({ job: { hook, sessionId } }: Kept): Warning {
  const message = `An answer of background hook ${hook.name} was dropped before anybody took it: session ${sessionId} has more than ${mostRuns} ended runs or 16 MiB of their output. Call background.take.`;
  return { code: "background-dropped", message, place: hook.id };
}
