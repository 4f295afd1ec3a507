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
 * One middleware around `inner`. Contract: when it calls `next` and returns nothing, what `next` gave stands: a refusal must not be
 * lost because somebody forgot to return.
 */
async function through(
  middleware: Middleware,
  event: HookEvent,
  ctx: Context,
  inner: (event: HookEvent) => unknown,
): Promise<unknown> {
  let given: { readonly said: unknown } | undefined;
  let called = false;
  const next = async (changed?: HookEvent): Promise<readonly Answer[]> => {
    if (called) {
      throw wrong("next-twice", `${middleware.name || "A middleware"} called next twice for ${event.name}.`);
    }
    called = true;
    given = { said: await inner(changed ?? event) };
    return asList(given.said);
  };
  const said: unknown = await middleware(event, ctx, next);
  return said === undefined || said === null ? given?.said : said;
}

/** A guard that skips gives the word for it; to a middleware that is no answer. */
function asList(said: unknown): readonly Answer[] {
  if (said === undefined || said === null || typeof said === "string") return [];
  return (Array.isArray(said) ? said : [said]) as readonly Answer[];
}
