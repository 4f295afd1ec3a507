import { setTimeout as sleep } from "node:timers/promises";
import { checkAll, checkNamed, mustBe, type OptionCheck, Problem, showValue } from "../protocol/internal.ts";
import { aborted, shouldRetry } from "./failure.ts";
import type { Model, ModelError, ModelEvent, ModelRequest, ModelRetry } from "./model.ts";

/** The options of `withRetry`. */
export interface RetryOptions {
  /** Total attempts. Default: 5. */
  readonly tries?: number;
  /** The wait after the first failed attempt. It doubles each time. Default: 500. */
  readonly firstWaitMs?: number;
  /** The longest wait. An API that asks for a longer one is not asked again. Default: 60,000. */
  readonly maxWaitMs?: number;
  /** Called before each wait. The same is also an event of the stream. */
  readonly onRetry?: (retry: ModelRetry, request: ModelRequest) => void;
  /** Waits; replace it in tests. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** From 0 to 1: spreads the tries of many sessions that failed together. */
  readonly random?: () => number;
}

/** Adds retries to a model: after 429, 5xx, 529 and dropped streams. The error of the last try is the result. */
export function withRetry(model: Model, options: RetryOptions = {}): Model {
  if (typeof model?.stream !== "function")
    throw new Problem("models/bad-option", `withRetry takes a model and options, not ${showValue(model)}.`);
  checkNamed("withRetry", options, checks, "models/bad-option");
  return { ...model, stream: (request, signal) => streamWithRetry(model, options, request, signal) };
}

const checks: Readonly<Record<keyof RetryOptions, OptionCheck | undefined>> = {
  tries: mustBe.wholeNumber,
  ...checkAll(mustBe.number, "firstWaitMs", "maxWaitMs"),
  ...checkAll(mustBe.function, "onRetry", "pause", "random"),
};

async function* streamWithRetry(
  model: Model,
  options: RetryOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const { tries = 5, onRetry, pause: wait = pause } = options;
  for (let attempt = 1; ; attempt += 1) {
    let error: ModelError | undefined;
    for await (const event of model.stream(request, signal)) {
      if (event.type === "error") {
        error = event;
        break;
      }
      yield event;
    }
    if (error === undefined) return;
    const waitMs = waitAfter(error, attempt, options);
    if (signal.aborted || attempt >= tries || waitMs === undefined) {
      yield error;
      return;
    }
    const retry: ModelRetry = { type: "retry", attempt, tries, waitMs, error };
    onRetry?.(retry, request);
    yield retry;
    await wait(waitMs, signal);
    if (signal.aborted) {
      yield aborted;
      return;
    }
  }
}

/** Undefined when a retry cannot help. */
function waitAfter(error: ModelError, attempt: number, options: RetryOptions): number | undefined {
  const { firstWaitMs = 500, maxWaitMs = 60_000, random = Math.random } = options;
  if (!shouldRetry(error)) return undefined;
  if (error.retryAfterMs !== undefined) return error.retryAfterMs <= maxWaitMs ? error.retryAfterMs : undefined;
  const doubled = Math.min(maxWaitMs, firstWaitMs * 2 ** (attempt - 1));
  return Math.round(doubled * (0.75 + random() / 4));
}

/** Waits until the time has passed or the signal is aborted. Contract: resolves in both cases; the caller checks the signal. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return;
  await sleep(ms, undefined, { signal }).catch((cause: unknown) => {
    if (!signal.aborted) throw cause;
  });
}
