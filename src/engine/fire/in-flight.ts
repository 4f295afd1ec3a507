import { setMaxListeners } from "node:events";
import type { HookRef, Outcome, RunRecord } from "../../protocol/internal.ts";
import type { MaybeAsync } from "../runners/run-limits.ts";

/** Work that the end of the engine ends too. */
export function inFlight() {
  const closing = new AbortController();
  // Many events under one signal are not a leak.
  setMaxListeners(0, closing.signal);
  const running = new Set<Promise<unknown>>();

  async function untilSettled<T>(work: Promise<T>, release: (() => void) | undefined): Promise<T> {
    running.add(work);
    try {
      return await work;
    } finally {
      running.delete(work);
      release?.();
    }
  }

  return {
    /** Runs it under a signal that is aborted with the given one and with the engine. */
    run<T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => MaybeAsync<T>): MaybeAsync<T> {
      const either = signal && eitherOf(signal, closing.signal);
      let isPending = false;
      try {
        const result = work(either?.signal ?? closing.signal);
        isPending = result instanceof Promise;
        return result instanceof Promise ? untilSettled(result, either?.release) : result;
      } finally {
        if (!isPending) either?.release();
      }
    },
    /** Grants `waitMs` to what runs and to `others`, then aborts with the reason. Resolves when nothing runs any more. */
    async close(waitMs: number, reason: unknown, others: readonly Promise<unknown>[]): Promise<void> {
      if (waitMs > 0) await withinMs(waitMs, Promise.allSettled([...running, ...others]));
      closing.abort(reason);
      await Promise.allSettled(running);
    },
  };
}

/** Not `AbortSignal.any`: a long session fires thousands of events under one signal, and it would keep a trace of each. */
function eitherOf(one: AbortSignal, other: AbortSignal): { readonly signal: AbortSignal; release(): void } {
  const either = new AbortController();
  const onOne = (): void => either.abort(one.reason);
  const onOther = (): void => either.abort(other.reason);
  setMaxListeners(0, one, either.signal);
  one.addEventListener("abort", onOne);
  other.addEventListener("abort", onOther);
  if (other.aborted) onOther();
  if (one.aborted) onOne();
  return {
    signal: either.signal,
    release() {
      one.removeEventListener("abort", onOne);
      other.removeEventListener("abort", onOther);
    },
  };
}

/** Waits for the work or the time, whichever ends first, and leaves no timer behind that would keep the process alive. */
export async function withinMs(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const time = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, time]);
  clearTimeout(timer);
}

/** What a command hook has printed by now; it still runs. */
export type HookProgress = Pick<RunRecord, "hook" | "stdout" | "stderr">;

/** Receives what hooks print while they run, at most once per `everyMs`. */
export interface ProgressListener {
  /** The shortest time between two calls. */
  readonly everyMs: number;
  /** Contract: as an observer, cannot delay or change an outcome. */
  tell(progress: HookProgress): void;
}

/** Progress of a fired event. */
export type RunStep =
  | { readonly kind: "started"; readonly hook: HookRef; readonly statusMessage?: string }
  | { readonly kind: "ended"; readonly record: RunRecord };

/** Progress of a fired event, then its outcome. */
export type EventStep = RunStep | { readonly kind: "outcome"; readonly outcome: Outcome };

/** The steps of `fire` as they happen. Contract: leaving early cancels the event's hooks. */
export async function* streamSteps(
  fire: (onStep: (step: RunStep) => void, signal: AbortSignal) => Promise<Outcome>,
  outer: AbortSignal | undefined,
): AsyncGenerator<EventStep, Outcome, void> {
  const leaving = new AbortController();
  const either = outer === undefined ? undefined : eitherOf(outer, leaving.signal);
  const steps: RunStep[] = [];
  let wake: (() => void) | undefined;
  let settled = false;
  const fired = fire((step) => {
    steps.push(step);
    wake?.();
  }, either?.signal ?? leaving.signal).finally(() => {
    settled = true;
    wake?.();
  });
  // Awaited below; a consumer that left must not turn it into an unhandled rejection.
  fired.catch(() => undefined);
  try {
    for (;;) {
      const step = steps.shift();
      if (step !== undefined) yield step;
      else if (settled) break;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    const outcome = await fired;
    yield { kind: "outcome", outcome };
    return outcome;
  } finally {
    if (!settled) leaving.abort(new Error("the stream was closed"));
    either?.release();
  }
}
