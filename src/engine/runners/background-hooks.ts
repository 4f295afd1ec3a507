import type { HookRef, RunRecord, Warning } from "../../protocol/internal.ts";
import { withinMs } from "../fire/in-flight.ts";
import { type MaybeAsync, slots } from "./run-limits.ts";

/** What a hook in the background is, and since when and how long it may run. */
interface BackgroundHook {
  readonly id: string;
  readonly hook: HookRef;
  readonly sessionId: string;
  readonly toolName?: string;
  readonly startedAt: number;
  readonly limitMs: number;
}

/** A hook that still runs after its event was settled, or did. */
export interface BackgroundEntry extends BackgroundHook {
  readonly state: "waiting" | "running" | "ended";
  readonly stdout: string;
  readonly stderr: string;
  readonly delivered: boolean;
}

/** The answer of a background hook, as texts for the model. */
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

const mostAtOnce = 8;

export type Background = ReturnType<typeof background>;

export function background(warn: (warning: Warning) => void) {
  const places = slots(mostAtOnce);
  const waiting = new Map<string, BackgroundJob>();
  const running = new Map<string, BackgroundRun>();
  const ended = endedRuns(warn);
  /** What a close waits for. */
  const open = new Set<Promise<void>>();
  const ending = new AbortController();

  async function inItsTurn(
    job: BackgroundJob,
    begin: () => BackgroundRun,
    neverBegun: () => MaybeAsync<unknown>,
  ): Promise<void> {
    waiting.set(job.id, job);
    const release = await places.take(ending.signal);
    waiting.delete(job.id);
    await (release === undefined ? neverBegun() : toItsEnd(begin()));
    release?.();
  }

  async function toItsEnd(run: BackgroundRun): Promise<void> {
    running.set(run.id, run);
    if (ending.signal.aborted && !run.detached) run.cancel();
    const answer = await run.done;
    running.delete(run.id);
    // An answer and its entry share their texts.
    const { stdout, stderr } = answer?.record ?? run.soFar();
    ended.add(jobOf(run), stdout, stderr, answer);
  }

  function keepOpen({ detached }: BackgroundJob, work: Promise<void>): void {
    if (detached) return;
    open.add(work);
    void work.then(() => open.delete(work));
  }

  return {
    /** Takes over a run that has already started. */
    adopt: (run: BackgroundRun): void => keepOpen(run, toItsEnd(run)),
    /** Waits for a free slot, then starts; only the end of the engine keeps it from that. */
    start: (job: BackgroundJob, begin: () => BackgroundRun, neverBegun: () => MaybeAsync<unknown>): void =>
      keepOpen(job, inItsTurn(job, begin, neverBegun)),
    list: (): readonly BackgroundEntry[] => [
      ...ended.list().map((run) => entryOf(run.job, "ended", () => run, run.delivered)),
      ...[...running.values()].map((run) => entryOf(jobOf(run), "running", run.soFar)),
      ...[...waiting.values()].map((job) => entryOf(job, "waiting", nothing)),
    ],
    take: ended.take,
    /** Ends what still runs, after `waitMs` of grace. */
    async close(waitMs: number): Promise<void> {
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

/** What a hook printed is read on access: hosts ask for the states often, and for megabytes of text seldom. */
function entryOf(
  { detached: _, ...hook }: BackgroundJob,
  state: BackgroundEntry["state"],
  soFar: () => { readonly stdout: string; readonly stderr: string },
  delivered = false,
): BackgroundEntry {
  return {
    ...hook,
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

/** A background hook that has ended. */
interface EndedRun {
  readonly job: BackgroundJob;
  readonly stdout: string;
  readonly stderr: string;
  /** Until it is delivered. */
  answer: BackgroundAnswer | undefined;
  delivered: boolean;
  /** Characters. */
  readonly size: number;
}

/** Limits of what is kept of one session. */
const mostRuns = 1_000;
const mostSize = 16 * 1024 * 1024;

/**
 * Background hooks that have ended, in order of ending. Contract: bounded per session; runs without a pending answer are dropped first,
 * and an answer that is dropped before it was taken is a warning.
 */
function endedRuns(warn: (warning: Warning) => void) {
  const runs: EndedRun[] = [];

  function drop(run: EndedRun): void {
    runs.splice(runs.indexOf(run), 1);
    if (run.answer === undefined) return;
    const { hook, sessionId } = run.job;
    const message = `An answer of background hook ${hook.name} was dropped before it was taken: session ${sessionId} has more than ${mostRuns} ended runs or 16 MiB of their output. Call background.take.`;
    warn({ code: "background-dropped", message, place: hook.id });
  }

  function keepWithinLimits(sessionId: string): void {
    for (;;) {
      const own = runs.filter(({ job }) => job.sessionId === sessionId);
      const size = own.reduce((sum, run) => sum + run.size, 0);
      const next = own.find(({ answer }) => answer === undefined) ?? own[0];
      if (next === undefined || (own.length <= mostRuns && size <= mostSize)) break;
      drop(next);
    }
    // Sessions come and go while the engine is open: runs without a pending answer are limited over all sessions.
    const settled = runs.filter(({ answer }) => answer === undefined);
    for (const run of settled.slice(0, Math.max(0, settled.length - mostRuns))) drop(run);
  }

  return {
    add(job: BackgroundJob, stdout: string, stderr: string, answer: BackgroundAnswer | undefined): void {
      const texts = answer?.texts.join("") ?? "";
      const size = stdout.length + stderr.length + texts.length;
      runs.push({ job, stdout, stderr, answer, delivered: false, size });
      keepWithinLimits(job.sessionId);
    },
    list: (): readonly EndedRun[] => runs,
    /** Returns each answer of a session exactly once, in order of ending. */
    take(sessionId: string): readonly BackgroundAnswer[] {
      const due = runs.filter(({ job, answer }) => job.sessionId === sessionId && answer !== undefined);
      const answers = due.flatMap(({ answer }) => answer ?? []);
      for (const run of due) Object.assign(run, { delivered: true, answer: undefined });
      if (due.length > 0) keepWithinLimits(sessionId);
      return answers;
    },
  };
}
