import type { Warning } from "../../protocol/index.ts";
import type { BackgroundAnswer, BackgroundJob } from "./background-hooks.ts";

/** A background hook that has ended, and its answer until somebody took it. */
export interface EndedRun {
  readonly job: BackgroundJob;
  readonly stdout: string;
  readonly stderr: string;
  readonly answer: BackgroundAnswer | undefined;
}

export interface EndedRuns {
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
 * The memory of background hooks that have ended. Contract: bounded per session; what is dropped first is what nobody waits for, and an
 * answer that is dropped before anybody took it is a warning.
 */
export function endedRuns(warn: (warning: Warning) => void): EndedRuns {
  /** By session; of each the runs in order of ending. */
  const sessions = new Map<string, Kept[]>();
  const order: Kept[] = [];

  function drop(run: Kept): void {
    const { sessionId } = run.job;
    const rest = sessions.get(sessionId)?.filter((other) => other !== run) ?? [];
    if (rest.length > 0) sessions.set(sessionId, rest);
    else sessions.delete(sessionId);
    order.splice(order.indexOf(run), 1);
    if (isOwed(run)) warn(lost(run));
  }

  function keepWithinLimits(sessionId: string): void {
    for (;;) {
      const runs = sessions.get(sessionId) ?? [];
      const size = runs.reduce((sum, run) => sum + run.size, 0);
      if (runs.length <= mostRuns && size <= mostSize) break;
      const next = runs.find((run) => !isOwed(run)) ?? runs[0];
      if (next === undefined) break;
      drop(next);
    }
    // Sessions come and go for as long as the engine lives: of what nobody waits for, all of them together keep no more than one may.
    const settled = order.filter((run) => !isOwed(run));
    for (const run of settled.slice(0, Math.max(0, settled.length - mostRuns))) drop(run);
  }

  return {
    add(run) {
      const { sessionId } = run.job;
      const kept: Kept = { ...run, delivered: false, size: sizeOf(run) };
      sessions.set(sessionId, [...(sessions.get(sessionId) ?? []), kept]);
      order.push(kept);
      keepWithinLimits(sessionId);
    },
    list: () => order,
    take(sessionId) {
      const due = (sessions.get(sessionId) ?? []).filter(isOwed);
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
