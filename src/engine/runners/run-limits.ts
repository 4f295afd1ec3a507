import { setMaxListeners } from "node:events";
import type { EventRow, Hook, HookType } from "../../protocol/internal.ts";
import type { Environment } from "../options.ts";

const standardMs: Readonly<Record<HookType, number>> = {
  command: 600_000,
  http: 600_000,
  mcp_tool: 600_000,
  callback: 600_000,
  prompt: 30_000,
  agent: 60_000,
  function: 5_000,
};

/** How long a hook may take: its own timeout, else that of the event, else that of its type. */
export function timeoutOf(hook: Hook, row: EventRow, env: Environment): number {
  if (hook.timeout !== undefined) return hook.timeout * 1_000;
  const standard = standardMs[hook.type];
  const replaced = budgetMs(row, env) ?? row.timeoutMs;
  return replaced !== null && standard === standardMs.command ? replaced : standard;
}

/** The limit for all hooks of an event together, where its row has one; a hook's own timeout raises it. */
export function eventBudgetMs(row: EventRow, hooks: readonly Hook[], env: Environment): number | undefined {
  const { budget } = row.special;
  if (budget === undefined) return undefined;
  if (variableMs(env[budget.variable]) !== undefined) return budgetMs(row, env);
  const longest = Math.max(0, ...hooks.map((hook) => (hook.timeout ?? 0) * 1_000));
  return Math.min(Math.max(budget.ms, longest), budget.mostMs);
}

/** What is left for a hook that may have queued. */
export function remainingMs({ timeoutMs, endsAt }: { readonly timeoutMs: number; readonly endsAt?: number }): number {
  return endsAt === undefined ? timeoutMs : Math.max(1, Math.min(timeoutMs, endsAt - performance.now()));
}

/** One figure is both the limit of the event and that of a hook which names none; a variable replaces it. */
function budgetMs({ special: { budget } }: EventRow, env: Environment): number | undefined {
  return budget && (variableMs(env[budget.variable]) ?? budget.ms);
}

function variableMs(text: string | undefined): number | undefined {
  const ms = Number(text);
  return ms > 0 ? ms : undefined;
}

export type Slots = ReturnType<typeof slots>;

/** A fixed number of slots; later callers wait, in order. */
export function slots(count: number) {
  let free = count;
  const waiting: (() => void)[] = [];

  function release(): void {
    const next = waiting.shift();
    if (next === undefined) free++;
    else next();
  }

  function once(): () => void {
    let held = true;
    return () => {
      if (held) release();
      held = false;
    };
  }

  return {
    /** Returns the function that frees the slot, or undefined when the signal was aborted first. */
    take(signal: AbortSignal): MaybeAsync<(() => void) | undefined> {
      if (signal.aborted) return undefined;
      if (free > 0) {
        free--;
        return once();
      }
      return new Promise((resolve) => {
        const onTurn = (): void => {
          signal.removeEventListener("abort", onAbort);
          resolve(once());
        };
        const onAbort = (): void => {
          waiting.splice(waiting.indexOf(onTurn), 1);
          resolve(undefined);
        };
        waiting.push(onTurn);
        // Many hooks that wait under one signal are not a leak.
        setMaxListeners(0, signal);
        signal.addEventListener("abort", onAbort, { once: true });
      });
    },
  };
}

/** The longest a wait may last and the signal that ends it sooner. */
export interface Limit {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** How a wait for code of the host ended. */
export type Waited<T> =
  | { readonly by: "answered"; readonly value: T }
  | { readonly by: "threw"; readonly error: unknown }
  | { readonly by: "timeout" }
  | { readonly by: "cancelled" };

/**
 * Calls `work` with a signal of its own and waits. Contract: resolves even if `work` never answers; its signal is aborted at the
 * deadline and on cancel, and what it says afterwards is ignored.
 */
export async function waitFor<T>(work: (signal: AbortSignal) => PromiseLike<T>, limit: Limit): Promise<Waited<T>> {
  if (limit.signal.aborted) return { by: "cancelled" };
  const controller = new AbortController();
  let answer: PromiseLike<T>;
  try {
    answer = work(controller.signal);
  } catch (error) {
    return { by: "threw", error };
  }
  return settled(answer, limit, controller);
}

/**
 * The wait for an answer that is already on its way; `controller` is aborted when the wait ends without it.
 * A promise that is fulfilled when it comes, as those of most async functions, costs neither a timer nor a listener.
 */
export function settled<T>(
  answer: PromiseLike<T>,
  { timeoutMs, signal }: Limit,
  controller?: Pick<AbortController, "abort">,
): Promise<Waited<T>> {
  return new Promise((resolve) => {
    let disarm: (() => void) | undefined;
    let over = false;
    Promise.resolve(answer).then(
      (value) => end({ by: "answered", value }),
      (error: unknown) => end({ by: "threw", error }),
    );
    queueMicrotask(() => {
      if (!over) disarm = arm(giveUp, timeoutMs, signal);
    });

    function giveUp(by: "timeout" | "cancelled"): void {
      end({ by });
      controller?.abort(by === "cancelled" ? signal.reason : new DOMException("The hook's time is up", "TimeoutError"));
    }

    function end(waited: Waited<T>): void {
      over = true;
      disarm?.();
      resolve(waited);
    }
  });
}

function arm(giveUp: (by: "timeout" | "cancelled") => void, timeoutMs: number, signal: AbortSignal): () => void {
  const timer = setTimeout(giveUp, timerMs(timeoutMs), "timeout");
  const onAbort = () => giveUp("cancelled");
  // Many hooks waiting on one event's signal are no leak.
  setMaxListeners(0, signal);
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) queueMicrotask(onAbort);
  return () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  };
}

/** A timer set beyond 31 bits fires at once; the longest one it can hold is 24 days. */
export function timerMs(ms: number): number {
  return Math.min(ms, 2 ** 31 - 1);
}

/** A length of time for messages: `1.5 s`, `250 ms`. */
export function duration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 100) / 10} s`;
}

/** A value that may already be there. In-process hooks mostly answer at once, and then no turn of the event loop is spent. */
export type MaybeAsync<T> = T | Promise<T>;

/** `next` of the value: now if it is there, later if it is not. */
export function whenReady<T, Result>(value: MaybeAsync<T>, next: (value: T) => MaybeAsync<Result>): MaybeAsync<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** All of them, in order: at once if all are there. */
export function allReady<T>(values: readonly MaybeAsync<T>[]): MaybeAsync<readonly T[]> {
  return values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as readonly T[]);
}
