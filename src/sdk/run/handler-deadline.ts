import { lazy } from "../../protocol/internal.ts";

/** How a handler or middleware ended. */
export type WorkEnd<Value> =
  | { readonly by: "value"; readonly value: Value }
  | { readonly by: "error"; readonly error: unknown }
  | { readonly by: "timeout"; readonly afterMs: number };

/**
 * Contract: settles at the deadline, unless the work blocks the thread. Synchronous work needs no timer.
 * The work's own signal aborts at the deadline.
 */
export async function withinDeadline<Value>(
  ms: number,
  own: LazySignal,
  work: () => Value | Promise<Value>,
): Promise<WorkEnd<Value>> {
  try {
    const value = work();
    if (!isPromise(value)) return { by: "value", value };
    const ended = Promise.resolve(value).then((value) => ({ by: "value", value }) as const);
    return await withTimeout(ended, ms, () => {
      own.abort(new Error(`the deadline of ${Math.round(ms)} ms has passed`));
      return { by: "timeout", afterMs: ms } as const;
    });
  } catch (error) {
    return { by: "error", error };
  }
}

/** The signal of one handler, created on first access. A class: defining a getter for each handler costs more than most handlers. */
export class LazySignal {
  readonly #environment: { readonly signal: AbortSignal };
  readonly #own = lazy(() => new AbortController());
  #signal: AbortSignal | undefined;

  constructor(environment: { readonly signal: AbortSignal }) {
    this.#environment = environment;
  }

  get signal(): AbortSignal {
    // Not by a listener: those of many handlers, or of many events of one host, would add up.
    this.#signal ??= AbortSignal.any([this.#own().signal, this.#environment.signal]);
    return this.#signal;
  }

  abort(why: unknown): void {
    this.#own().abort(why);
  }
}

/** The value of the work, or what `late` returns or throws when the work takes longer than `ms`. */
export function withTimeout<Value, Late>(work: Promise<Value>, ms: number, late: () => Late): Promise<Value | Late> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((done) => {
    timer = setTimeout(done, ms);
  }).then(late);
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}

export function isPromise<Value>(value: Value | Promise<Value>): value is Promise<Value> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
