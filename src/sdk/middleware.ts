import type { Answer } from "./answer.ts";
import type { Context } from "./context.ts";
import type { HookEvent } from "./event.ts";
import { wrong } from "./problem.ts";
import type { Middleware } from "./registration.ts";

/** `inner` inside its wrappers, the first one outermost. Without wrappers, `inner` alone. */
export function wrapped(
  wrappers: readonly Middleware[],
  event: HookEvent,
  ctx: Context,
  inner: (event: HookEvent) => unknown,
): unknown {
  const [outermost, ...rest] = wrappers;
  if (outermost === undefined) return inner(event);
  return through(outermost, event, ctx, (next) => wrapped(rest, next, ctx, inner));
}

/**
 * One middleware around `inner`. Contract: when it calls `next` and returns nothing, what `next` gave stands, and it ends no sooner than
 * what it called: a refusal must not be lost because somebody forgot to return or to wait.
 */
async function through(
  middleware: Middleware,
  event: HookEvent,
  ctx: Context,
  inner: (event: HookEvent) => unknown,
): Promise<unknown> {
  let given: unknown;
  let running: Promise<void> | undefined;
  let ended = false;
  const next = async (changed?: HookEvent): Promise<readonly Answer[]> => {
    if (running !== undefined) {
      throw wrong("next-twice", `${middleware.name || "A middleware"} called next twice for ${event.name}.`);
    }
    const run = async () => {
      given = await inner(changed ?? event);
    };
    running = run().finally(() => {
      ended = true;
    });
    await running;
    return asList(given);
  };
  const said: unknown = await middleware(event, ctx, next);
  // How it ended is known to the middleware, unless it did not wait.
  if (!ended) await running;
  return said ?? given;
}

/** A guard that skips gives the word for it; to a middleware that is no answer. */
function asList(said: unknown): readonly Answer[] {
  if (said === undefined || said === null || typeof said === "string") return [];
  return (Array.isArray(said) ? said : [said]) as readonly Answer[];
}
