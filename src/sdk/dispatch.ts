import { type AppWarning, accept } from "./accept.ts";
import type { Answer } from "./answer.ts";
import { type ChainRun, type HandlerTrace, messageOf, refusal, runChain, select } from "./chain.ts";
import { ticks } from "./clock.ts";
import { type Context, eventContext, handlerContext } from "./context.ts";
import { lazySignal, within } from "./deadline.ts";
import { type HookEvent, readEvent, type WirePayload } from "./event.ts";
import { type Folded, fold, isRefusal } from "./fold.ts";
import { eventLogger } from "./log.ts";
import { recordOf } from "./log-record.ts";
import { wrapped } from "./middleware.ts";
import type { AppOptions, AppParts } from "./parts.ts";
import type { FailureMode, Registration } from "./registration.ts";
import { ruleOf, usualDeadlineMs } from "./rules.ts";
import { type Spelled, spell } from "./spell.ts";
import { lazyState } from "./state/state.ts";
import { lazyTasks } from "./tasks/tasks.ts";
import type { World } from "./world.ts";

/** What an app says to one event, in every form somebody needs. */
export interface Settled extends Spelled {
  readonly event: string;
  readonly folded: Folded;
  readonly warnings: readonly AppWarning[];
  readonly trace: readonly HandlerTrace[];
  /** Contract: called once the answer is written; ends what providers made for this event. */
  readonly dispose: () => Promise<void>;
}

/** One event through an app. Contract: resolves, whatever handlers, middleware, observers and providers do. */
export async function dispatch(parts: AppParts, payload: WirePayload, world: World): Promise<Settled> {
  const begun = ticks();
  const event = readEvent(payload);
  const chain = select(parts.registrations, event);
  const state = world.state ?? lazyState(event, parts.options, world);
  const tasks = lazyTasks(event, parts.options, parts.tasks, world);
  const shared = eventContext({ event, world, providers: parts.providers, state, tasks });
  const run: ChainRun = { answers: [], warnings: [], trace: [], failures: [], troubles: [] };
  const trouble = (line: string) => {
    run.troubles.push(line);
    world.complain(line);
  };
  const about = () => ({ event: event.name, ...(event.sessionId ? { session: event.sessionId } : {}) });
  parts.observers.tell("hook-start", about, trouble);
  const said = await throughApp(parts, chain, event, shared, world, run, trouble);
  for (const { message } of run.warnings) world.complain(message);
  const told = await tellFailures(run, event, state, world);
  const folded = fold([...said, ...(await tasks.due()), ...told]);
  const spelled = spell(event.name, folded);
  parts.observers.tell("hook-end", () => ({ ...about(), ms: ticks() - begun, wire: spelled.wire }), trouble);
  const ms = ticks() - begun;
  if (world.log !== undefined) {
    const content = await contentFor(parts.options, event, spelled, world);
    world.log({
      ...recordOf(event, spelled, folded, run, ms, world.now()),
      ...(content === undefined ? {} : { content }),
    });
  }
  const dispose = async () => {
    await tasks.settled();
    await parts.providers.disposeEvent(event);
  };
  return { ...spelled, event: event.name, folded, warnings: run.warnings, trace: run.trace, dispose };
}

/** How long the chain of an event may take; `install` gives the host's entry a little more. */
export function deadlineOf(event: string, chain: readonly Registration[], parts: AppParts): number {
  const usual = parts.options.timeoutMs ?? usualDeadlineMs(event);
  // A handler that names none must not be cut short because another one is quick.
  return chain.length === 0 ? usual : Math.max(...chain.map(({ options }) => options.timeoutMs ?? usual));
}

/** The strictest mode among entry, app and the event's registrations: what holds when no single handler is to blame. */
export function strictestMode(
  parts: AppParts,
  chain: readonly Registration[],
  given: FailureMode | undefined,
): FailureMode {
  const modes = [given, parts.options.onFailure, ...chain.map(({ onFailure }) => onFailure)];
  return modes.includes("block") ? "block" : "continue";
}

/** The chain inside the app's middleware. A middleware that throws is a failure of the app; a refusal that was given stays given. */
async function throughApp(
  parts: AppParts,
  chain: readonly Registration[],
  event: HookEvent,
  shared: object,
  world: World,
  run: ChainRun,
  trouble: (line: string) => void,
): Promise<readonly Answer[]> {
  const ms = deadlineOf(event.name, chain, parts);
  const inner = async (now: HookEvent) => {
    await runChain(chain, now, { parts, world, shared, trouble, deadline: ticks() + ms }, run);
    return run.answers;
  };
  if (parts.middleware.length === 0) {
    await inner(event);
    return run.answers;
  }
  const own = lazySignal(world);
  const ctx = appContext(shared, own, event, world);
  const ended = await within(ms, own, async () => {
    const said = await wrapped(parts.middleware, event, ctx, inner);
    return accept(said, event, "middleware");
  });
  if (ended.by === "value") {
    run.warnings.push(...ended.value.warnings);
    return ended.value.answers;
  }
  const why = ended.by === "error" ? messageOf(ended.error) : `gave no answer within ${Math.round(ended.afterMs)} ms`;
  parts.observers.tell("hook-error", () => ({ event: event.name, error: why }), trouble);
  run.failures.push({ handler: "middleware", message: why });
  const kept = run.answers.some(isRefusal) ? run.answers : [];
  if (strictestMode(parts, chain, world.onFailure) === "continue") return kept;
  return [...kept, ...refusal(ruleOf(event.name), event, `The app's middleware failed: ${why}`)];
}

function appContext(shared: object, own: { readonly signal: AbortSignal }, event: HookEvent, world: World): Context {
  return handlerContext(shared, {
    space: undefined,
    own,
    log: () => eventLogger(event, world, "middleware"),
    emit: () => undefined,
  });
}

/** No failure is silent: stderr at once, and a message for the person once per session and handler. */
async function tellFailures(
  run: ChainRun,
  event: HookEvent,
  state: { told(key: string): Promise<boolean> },
  world: World,
): Promise<readonly Answer[]> {
  const messages: Answer[] = [];
  for (const { handler, message } of run.failures) {
    const text = `Hook ${handler} failed on ${event.name}: ${message}`;
    world.complain(text);
    run.warnings.push({ code: "handler-failed", message: text, handler });
    if (!(await toldBefore(state, `${event.name}/${handler}`, world))) messages.push({ kind: "systemMessage", text });
  }
  return messages;
}

/** Telling twice is better than not at all, so a memory that does not work counts as "not yet". */
async function toldBefore(state: { told(key: string): Promise<boolean> }, key: string, world: World): Promise<boolean> {
  try {
    return await state.told(key);
  } catch (error) {
    world.complain(`It could not be noted that a failure was told: ${messageOf(error)}`);
    return false;
  }
}

/** Only for those who asked for it: what tools are given and give is theirs. */
async function contentFor(
  { log }: AppOptions,
  event: HookEvent,
  spelled: Spelled,
  world: World,
): Promise<object | undefined> {
  if (typeof log !== "object" || log.content !== true) return undefined;
  try {
    return (await import("./log-content.ts")).contentOf(event, spelled);
  } catch (error) {
    world.complain(`The log has no content of this event: ${messageOf(error)}`);
    return undefined;
  }
}
