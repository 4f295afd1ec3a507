import type { Answer } from "../answer/answer.ts";
import { sdkProblem } from "../app/argument-checks.ts";
import type { Context } from "../app/context.ts";
import type { HookEvent } from "../app/hook-event.ts";
import type { Middleware } from "../app/registration.ts";

/** Runs `inner` inside its wrappers, the first one outermost. */
export function runWrapped(
  wrappers: readonly Middleware[],
  event: HookEvent,
  ctx: Context,
  inner: (event: HookEvent) => unknown,
): unknown {
  const [outermost, ...rest] = wrappers;
  if (outermost === undefined) return inner(event);
  return runMiddleware(outermost, event, ctx, (next) => runWrapped(rest, next, ctx, inner));
}

/**
 * Runs one middleware around `inner`. Contract: when it calls `next` and returns nothing, the result of `next` counts, a failure too, and
 * is awaited. A refusal must not be lost because the author forgot to return or await, or caught an error to log it.
 * Fields passed to `next` are merged into the event, which keeps its name.
 */
async function runMiddleware(
  middleware: Middleware,
  event: HookEvent,
  ctx: Context,
  inner: (event: HookEvent) => unknown,
): Promise<unknown> {
  let result: unknown;
  let failed: { readonly error: unknown } | undefined;
  let running: Promise<void> | undefined;
  let ended = false;
  const next = async (changed?: HookEvent): Promise<readonly Answer[]> => {
    if (running !== undefined) {
      throw sdkProblem("next-twice", `${middleware.name || "A middleware"} called next twice for ${event.name}.`);
    }
    const run = async () => {
      try {
        result = await inner(changed === undefined ? event : { ...event, ...changed, name: event.name });
      } catch (error) {
        failed = { error };
        throw error;
      }
    };
    running = run().finally(() => {
      ended = true;
    });
    await running;
    return asList(result);
  };
  const returned: unknown = await middleware(event, ctx, next);
  // The middleware may not have awaited `next`.
  if (!ended) await running;
  if (failed !== undefined && (returned === undefined || returned === null)) throw failed.error;
  return returned ?? result;
}

/** A skipped handler returns a marker string; to a middleware that means no answer. */
function asList(returned: unknown): readonly Answer[] {
  if (returned === undefined || returned === null || typeof returned === "string") return [];
  return (Array.isArray(returned) ? returned : [returned]) as readonly Answer[];
}
