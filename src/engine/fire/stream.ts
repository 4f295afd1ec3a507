import { setMaxListeners } from "node:events";
import type { Outcome } from "../../protocol/index.ts";
import type { RunStep } from "../engine-type.ts";

/** Progress of a fired event, then its outcome. */
export type EventStep = RunStep | { readonly kind: "outcome"; readonly outcome: Outcome };

/** The steps of `fire` as they happen. Contract: leaving early cancels the event's hooks. */
export async function* streamSteps(
  fire: (onStep: (step: RunStep) => void, signal: AbortSignal) => Promise<Outcome>,
  outer: AbortSignal | undefined,
): AsyncGenerator<EventStep, Outcome, void> {
  // Not `AbortSignal.any`: a long session fires thousands of events under one signal, and it would keep a trace of each.
  const leaving = new AbortController();
  const onAbort = (): void => leaving.abort(outer?.reason);
  if (outer?.aborted) onAbort();
  // Many events under one signal are no leak.
  if (outer !== undefined) setMaxListeners(0, outer);
  outer?.addEventListener("abort", onAbort, { once: true });
  const steps: RunStep[] = [];
  let wake: (() => void) | undefined;
  let settled = false;
  const fired = fire((step) => {
    steps.push(step);
    wake?.();
  }, leaving.signal).finally(() => {
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
    outer?.removeEventListener("abort", onAbort);
    if (!settled) leaving.abort(new Error("nobody listens any more"));
  }
}
