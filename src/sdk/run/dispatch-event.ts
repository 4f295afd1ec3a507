import { monotonicMs } from "../../files/internal.ts";
import { messageOf } from "../../protocol/internal.ts";
import { type AppWarning, acceptAnswers } from "../answer/accept-answers.ts";
import type { Answer } from "../answer/answer.ts";
import { eventRule, isKnownEvent } from "../answer/event-rules.ts";
import { type FoldedAnswer, foldAnswers, isRefusal } from "../answer/fold-answers.ts";
import { applyRewrites } from "../answer/rewrite-event.ts";
import { appFailure, toWire, type WireAnswer } from "../answer/wire-answer.ts";
import { type AppDefinition, type AppOptions, deadlineOf, strictestMode } from "../app/app-definition.ts";
import { eventContext, type HandlerScope, handlerContext } from "../app/context.ts";
import { type HookEvent, readEvent, type WirePayload } from "../app/hook-event.ts";
import type { Registration } from "../app/registration.ts";
import type { RunEnvironment } from "../app/run-environment.ts";
import { eventLogRecord } from "../log/log-record.ts";
import { eventLogger } from "../log/logger.ts";
import { lazyState } from "../state/state.ts";
import { lazyTasks } from "../tasks/tasks.ts";
import { type LocatedError, locateError } from "./error-location.ts";
import {
  type ChainCall,
  type ChainRun,
  type HandlerTrace,
  recheck,
  refusal,
  runChain,
  selectHandlers,
} from "./handler-chain.ts";
import { type LazySignal, lazySignal, withinDeadline } from "./handler-deadline.ts";
import { runWrapped } from "./middleware.ts";
import { denyForCodex, foreignPayloadReason } from "./read-payload.ts";

/** What an app says to one event, in every form somebody needs. */
export interface SettledEvent extends WireAnswer {
  readonly event: string;
  readonly folded: FoldedAnswer;
  readonly warnings: readonly AppWarning[];
  readonly trace: readonly HandlerTrace[];
  /** Contract: called once the answer is written; ends what providers made for this event. */
  readonly dispose: () => Promise<void>;
}

/** One event through an app. Contract: resolves, whatever handlers, middleware, observers and providers do. */
export async function dispatchEvent(
  parts: AppDefinition,
  payload: WirePayload,
  world: RunEnvironment,
): Promise<SettledEvent> {
  const begun = monotonicMs();
  const event = readEvent(payload);
  const foreign = foreignPayloadReason(event, parts.registrations);
  if (foreign !== undefined) return refuseForeign(foreign, event, parts, world);
  const chain = selectHandlers(parts.registrations, event);
  const state = world.state ?? lazyState(event, parts.options, world);
  const tasks = lazyTasks(event, parts.options, parts.tasks, world);
  const run: ChainRun = { answers: [], warnings: [], trace: [], failures: [], troubles: [] };
  const trouble = (line: string) => {
    run.troubles.push(line);
    world.complain(line);
  };
  const forFactory = (name: string) => appScope(`provider ${name}`, event, { parts, world, trouble });
  const shared = eventContext({ event, world, providers: parts.providers, state, tasks, forFactory });
  const about = () => ({ event: event.name, ...(event.sessionId ? { session: event.sessionId } : {}) });
  parts.observers.tell("hook-start", about, trouble);
  const said = await runInMiddleware(chain, event, { parts, world, shared, trouble }, run);
  for (const { message } of run.warnings) world.complain(message);
  const told = await reportFailures(run, event, state, world);
  const folded = denyForCodex(foldAnswers([...said, ...(await tasks.dueContext()), ...told]), payload);
  const spelled = toWire(event.name, folded);
  parts.observers.tell("hook-end", () => ({ ...about(), ms: monotonicMs() - begun, wire: spelled.wire }), trouble);
  const ms = monotonicMs() - begun;
  if (world.log !== undefined) {
    const content = await contentFor(parts.options, event, spelled, world);
    world.log({
      ...eventLogRecord(event, spelled, folded, run, ms, world.now()),
      ...(content === undefined ? {} : { content }),
    });
  }
  const dispose = async () => {
    await tasks.settled();
    await parts.providers.disposeEvent(event);
  };
  return { ...spelled, event: event.name, folded, warnings: run.warnings, trace: run.trace, dispose };
}

/** By the failure policy, as a process tells it: other agents obey exit 2 with a reason on stderr, and hardly any other denial. */
function refuseForeign(message: string, event: HookEvent, parts: AppDefinition, world: RunEnvironment): SettledEvent {
  const meant = isKnownEvent(event.name)
    ? parts.registrations.filter((one) => one.event === event.name)
    : parts.registrations;
  const spelled = appFailure(message, strictestMode(parts, meant, world.onFailure), event.raw);
  parts.observers.tell("hook-error", () => ({ event: event.name, error: message }), world.complain);
  world.log?.({
    time: new Date(world.now()).toISOString(),
    ...(event.sessionId ? { session: event.sessionId } : {}),
    event: event.name,
    ...(typeof event["toolName"] === "string" ? { tool: event["toolName"] } : {}),
    answer: spelled.exitCode === 2 ? "refused" : "none",
    exit: spelled.exitCode,
    failed: message,
  });
  const refusal = spelled.exitCode === 2 ? { refusal: { reason: message } } : {};
  return {
    ...spelled,
    event: event.name,
    folded: { contexts: [], messages: [], ...refusal },
    warnings: [{ code: "app-failed", message }],
    trace: [],
    dispose: async () => undefined,
  };
}

/** No failure is silent: stderr at once, and a message for the user once per session and handler. */
async function reportFailures(
  run: ChainRun,
  event: HookEvent,
  state: { markReported(key: string): Promise<boolean> },
  world: RunEnvironment,
): Promise<readonly Answer[]> {
  const messages: Answer[] = [];
  for (const { handler, message, stack } of run.failures) {
    const text = `Hook ${handler} failed on ${event.name}: ${message}`;
    world.complain(stack === undefined ? text : `${text}\n${indented(stack)}`);
    run.warnings.push({ code: "handler-failed", message: text, handler });
    // Handlers of two apps may have one name, and one session.
    const key = JSON.stringify([world.file ?? "", event.name, handler]);
    if (!(await wasReported(state, key, world))) messages.push({ kind: "systemMessage", text });
  }
  return messages;
}

function indented(stack: string): string {
  return stack.replace(/^/gm, "    ");
}

/** Telling twice is better than not at all, so a memory that does not work counts as "not yet". */
async function wasReported(
  state: { markReported(key: string): Promise<boolean> },
  key: string,
  world: RunEnvironment,
): Promise<boolean> {
  try {
    return await state.markReported(key);
  } catch (error) {
    world.complain(`Cannot record that a failure was reported: ${messageOf(error)}`);
    return false;
  }
}

/** Only for those who asked for it: what tools are given and give is theirs. */
async function contentFor(
  { log }: AppOptions,
  event: HookEvent,
  spelled: WireAnswer,
  world: RunEnvironment,
): Promise<object | undefined> {
  if (typeof log !== "object" || log.content !== true) return undefined;
  try {
    return (await import("../log/log-content.ts")).loggedContent(event, spelled);
  } catch (error) {
    world.complain(`The log has no content of this event: ${messageOf(error)}`);
    return undefined;
  }
}

/** The chain inside the app's middleware. A middleware that throws is a failure of the app; a refusal that was given stays given. */
async function runInMiddleware(
  chain: readonly Registration[],
  event: HookEvent,
  around: Omit<ChainCall, "deadline">,
  run: ChainRun,
): Promise<readonly Answer[]> {
  const { parts, world, trouble } = around;
  const ms = deadlineOf(event.name, chain, parts);
  const call = { ...around, deadline: monotonicMs() + ms };
  if (parts.middleware.length === 0) {
    await runChain(chain, event, call, run);
    return run.answers;
  }
  const own = lazySignal(world);
  const ctx = handlerContext(around.shared, appScope("middleware", event, around, own));
  const ended = await withinDeadline(ms, own, async () => {
    let ran: { readonly first: HookEvent; readonly last: HookEvent } | undefined;
    const said = await runWrapped(parts.middleware, event, ctx, async (first) => {
      ran = { first, last: await runChain(chain, first, call, run) };
      return run.answers;
    });
    const { answers, warnings } = acceptAnswers(said, event, "middleware", run.answers);
    run.warnings.push(...warnings);
    const final = applyRewrites(ran?.first ?? event, answers);
    if (ran === undefined || isSame(final.event, ran.last)) return final.answers;
    // What goes out is not what the handlers agreed to.
    const before = run.answers.length;
    await recheck(chain, final.event, call, run);
    return [...final.answers, ...run.answers.slice(before)];
  });
  if (ended.by === "value") return ended.value;
  const { message: why, stack }: LocatedError =
    ended.by === "error"
      ? locateError(ended.error, event.cwd ?? world.cwd)
      : { message: `timed out after ${Math.round(ended.afterMs)} ms` };
  parts.observers.tell("hook-error", () => ({ event: event.name, error: why }), trouble);
  run.failures.push({ handler: "middleware", message: why, ...(stack === undefined ? {} : { stack }) });
  const kept = run.answers.some(isRefusal) ? run.answers : [];
  if (strictestMode(parts, chain, world.onFailure) === "continue") return kept;
  return [...kept, ...refusal(eventRule(event.name), event, `The app's middleware failed: ${why}`)];
}

function isSame(one: HookEvent, other: HookEvent): boolean {
  return one["input"] === other["input"] && one["response"] === other["response"];
}

/** What the context of somebody is made of who is no handler: a middleware, or the factory of a provider. */
function appScope(
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
