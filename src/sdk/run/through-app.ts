import { ticks } from "../../files/internal.ts";
import { accept } from "../answer/accept-answers.ts";
import type { Answer } from "../answer/answer.ts";
import { ruleOf } from "../answer/event-rules.ts";
import { isRefusal } from "../answer/fold-answers.ts";
import { rewrite } from "../answer/rewrite-event.ts";
import { type HandlerScope, handlerContext } from "../app/context.ts";
import { deadlineOf, strictestMode } from "../app/deadline-and-mode.ts";
import type { HookEvent } from "../app/hook-event.ts";
import type { Registration } from "../app/registration.ts";
import { eventLogger } from "../log/logger.ts";
import { type Traced, traced } from "./error-location.ts";
import { type ChainCall, type ChainRun, recheck, refusal, runChain } from "./handler-chain.ts";
import { type LazySignal, lazySignal, within } from "./handler-deadline.ts";
import { wrapped } from "./middleware.ts";

/** The chain inside the app's middleware. A middleware that throws is a failure of the app; a refusal that was given stays given. */
export async function throughApp(
  chain: readonly Registration[],
  event: HookEvent,
  around: Omit<ChainCall, "deadline">,
  run: ChainRun,
): Promise<readonly Answer[]> {
  const { parts, world, trouble } = around;
  const ms = deadlineOf(event.name, chain, parts);
  const call = { ...around, deadline: ticks() + ms };
  if (parts.middleware.length === 0) {
    await runChain(chain, event, call, run);
    return run.answers;
  }
  const own = lazySignal(world);
  const ctx = handlerContext(around.shared, appScope("middleware", event, around, own));
  const ended = await within(ms, own, async () => {
    let ran: { readonly first: HookEvent; readonly last: HookEvent } | undefined;
    const said = await wrapped(parts.middleware, event, ctx, async (first) => {
      ran = { first, last: await runChain(chain, first, call, run) };
      return run.answers;
    });
    const { answers, warnings } = accept(said, event, "middleware", run.answers);
    run.warnings.push(...warnings);
    const final = rewrite(ran?.first ?? event, answers);
    if (ran === undefined || isSame(final.event, ran.last)) return final.answers;
    // What goes out is not what the handlers agreed to.
    const before = run.answers.length;
    await recheck(chain, final.event, call, run);
    return [...final.answers, ...run.answers.slice(before)];
  });
  if (ended.by === "value") return ended.value;
  const { message: why, stack }: Traced =
    ended.by === "error"
      ? traced(ended.error, event.cwd ?? world.cwd)
      : { message: `gave no answer within ${Math.round(ended.afterMs)} ms` };
  parts.observers.tell("hook-error", () => ({ event: event.name, error: why }), trouble);
  run.failures.push({ handler: "middleware", message: why, ...(stack === undefined ? {} : { stack }) });
  const kept = run.answers.some(isRefusal) ? run.answers : [];
  if (strictestMode(parts, chain, world.onFailure) === "continue") return kept;
  return [...kept, ...refusal(ruleOf(event.name), event, `The app's middleware failed: ${why}`)];
}

function isSame(one: HookEvent, other: HookEvent): boolean {
  return one["input"] === other["input"] && one["response"] === other["response"];
}

/** What the context of somebody is made of who is no handler: a middleware, or the factory of a provider. */
export function appScope(
  name: string,
  event: HookEvent,
  { parts, world, trouble }: Pick<ChainCall, "parts" | "world" | "trouble">,
  own: LazySignal = lazySignal(world),
): HandlerScope {
  return {
    space: undefined,
    own,
    log: () => eventLogger(event, world, name),
    emit: (type, payload) =>
      parts.observers.tell("custom", () => ({ event: event.name, handler: name, type, payload }), trouble),
  };
}
