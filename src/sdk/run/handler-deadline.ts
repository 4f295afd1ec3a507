/** How a piece of an author's work ended. */
export type WorkEnd<Value> =
  | { readonly by: "value"; readonly value: Value }
  | { readonly by: "error"; readonly error: unknown }
  | { readonly by: "timeout"; readonly afterMs: number };

/** A signal that is made only for those who ask for it. */
export interface LazySignal {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
}

/**
 * Contract: settles at the deadline whatever the work does, except while it holds the thread. Work that is done at once costs no timer.
 * At the deadline, and when `outer` aborts, the work's own signal aborts.
 */
export async function withinDeadline<Value>(
  ms: number,
  own: LazySignal,
  work: () => Value | Promise<Value>,
): Promise<WorkEnd<Value>> {
  try {
    const value = work();
    if (!isPromise(value)) return { by: "value", value };
    return await race(value, ms, own);
  } catch (error) {
    return { by: "error", error };
  }
}

export function lazySignal(world: { readonly signal: AbortSignal }): LazySignal {
  return new OwnSignal(world);
}

/** A class, since a getter that is made for each handler costs more than most of them do. */
class OwnSignal implements LazySignal {
  readonly #world: { readonly signal: AbortSignal };
  #controller: AbortController | undefined;
  #reason: unknown;

  constructor(world: { readonly signal: AbortSignal }) {
    this.#world = world;
  }

  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal;
    const made = new AbortController();
    const outer = this.#world.signal;
    this.#controller = made;
    if (this.#reason !== undefined) made.abort(this.#reason);
    else if (outer.aborted) made.abort(outer.reason);
    else outer.addEventListener("abort", () => made.abort(outer.reason), { once: true, signal: made.signal });
    return made.signal;
  }

  abort(why: unknown): void {
    this.#reason = why;
    this.#controller?.abort(why);
  }
}

function race<Value>(work: Promise<Value>, ms: number, own: LazySignal): Promise<WorkEnd<Value>> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      own.abort(new Error(`the deadline of ${Math.round(ms)} ms has passed`));
      resolve({ by: "timeout", afterMs: ms });
    }, ms);
    const end = (ended: WorkEnd<Value>) => {
      clearTimeout(timer);
      resolve(ended);
    };
    work.then(
      (value) => end({ by: "value", value }),
      (error: unknown) => end({ by: "error", error }),
    );
  });
}

export function isPromise<Value>(value: Value | Promise<Value>): value is Promise<Value> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
