import type { Answer } from "../answer/answer.ts";
import { sdkProblem } from "../app/argument-checks.ts";
import type { Context } from "../app/context.ts";
import type { HookEvent } from "../app/hook-event.ts";
import type { Middleware } from "../app/registration.ts";

/** `inner` inside its wrappers, the first one outermost. Without wrappers, `inner` alone. */
export function runWrapped(
  wrappers: readonly Middleware[],
  event: HookEvent,
  ctx: Context,
  inner: (event: HookEvent) => unknown,
): unknown {
  const [outermost, ...rest] = wrappers;
  if (outermost === undefined) return inner(event);
  return through(outermost, event, ctx, (next) => runWrapped(rest, next, ctx, inner));
}

/**
 * One middleware around `inner`. Contract: when it calls `next` and returns nothing, what `next` gave stands, a failure too, and it ends
 * no sooner than what it called: a refusal must not be lost because somebody forgot to return or to wait, or caught an error to log it.
 * Fields that `next` is given are laid over the event, which keeps its name.
 */
async function through(
  middleware: Middleware,
  event: HookEvent,
  ctx: Context,
  inner: (event: HookEvent) => unknown,
): Promise<unknown> {
  let given: unknown;
  let failed: { readonly error: unknown } | undefined;
  let running: Promise<void> | undefined;
  let ended = false;
  const next = async (changed?: HookEvent): Promise<readonly Answer[]> => {
    if (running !== undefined) {
      throw sdkProblem("next-twice", `${middleware.name || "A middleware"} called next twice for ${event.name}.`);
    }
    const run = async () => {
      try {
        given = await inner(changed === undefined ? event : { ...event, ...changed, name: event.name });
      } catch (error) {
        failed = { error };
        throw error;
      }
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
  if (failed !== undefined && (said === undefined || said === null)) throw failed.error;
  return said ?? given;
}

/** A skipped handler returns a marker string; to a middleware that means no answer. */
function asList(said: unknown): readonly Answer[] {
  if (said === undefined || said === null || typeof said === "string") return [];
  return (Array.isArray(said) ? said : [said]) as readonly Answer[];
}
