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

/** The answer of an app to one event, with everything that the log, tests and the daemon need. */
export interface SettledEvent extends WireAnswer {
  readonly event: string;
  readonly folded: FoldedAnswer;
  readonly warnings: readonly AppWarning[];
  readonly trace: readonly HandlerTrace[];
  /** Disposes the providers' values of this event. Contract: called after the answer is written. */
  readonly dispose: () => Promise<void>;
}

/** Runs an app for one event. Contract: never rejects, whatever handlers, middleware, observers and providers do. */
export async function dispatchEvent(
  definition: AppDefinition,
  payload: WirePayload,
  environment: RunEnvironment,
): Promise<SettledEvent> {
  const startedAt = monotonicMs();
  const event = readEvent(payload);
  const foreign = foreignPayloadReason(event, definition.registrations);
  if (foreign !== undefined) return refuseForeign(foreign, event, definition, environment);
  const chain = selectHandlers(definition.registrations, event);
  const state = environment.state ?? lazyState(event, definition.options, environment);
  const tasks = lazyTasks(event, definition.options, definition.tasks, environment);
  const run: ChainRun = { answers: [], warnings: [], trace: [], failures: [], troubles: [] };
  const reportTrouble = (line: string) => {
    run.troubles.push(line);
    environment.complain(line);
  };
  const forFactory = (name: string) => appScope(`provider ${name}`, event, { definition, environment, reportTrouble });
  const shared = eventContext({ event, environment, providers: definition.providers, state, tasks, forFactory });
  const about = () => ({ event: event.name, ...(event.sessionId ? { session: event.sessionId } : {}) });
  definition.observers.notify("hook-start", about, reportTrouble);
  const answers = await runInMiddleware(chain, event, { definition, environment, shared, reportTrouble }, run);
  for (const { message } of run.warnings) environment.complain(message);
  const failureMessages = await reportFailures(run, event, state, environment);
  const folded = denyForCodex(foldAnswers([...answers, ...(await tasks.dueContext()), ...failureMessages]), payload);
  const wireAnswer = toWire(event.name, folded);
  definition.observers.notify(
    "hook-end",
    () => ({ ...about(), ms: monotonicMs() - startedAt, wire: wireAnswer.wire }),
    reportTrouble,
  );
  const ms = monotonicMs() - startedAt;
  if (environment.log !== undefined) {
    const content = await contentFor(definition.options, event, wireAnswer, environment);
    environment.log({
      ...eventLogRecord(event, wireAnswer, folded, run, ms, environment.now()),
      ...(content === undefined ? {} : { content }),
    });
  }
  const dispose = async () => {
    await tasks.settled();
    await definition.providers.disposeEvent(event);
  };
  return { ...wireAnswer, event: event.name, folded, warnings: run.warnings, trace: run.trace, dispose };
}

/** Fails by the failure mode. Other agents respect exit 2 with a reason on stderr, and few of them any other denial. */
function refuseForeign(
  message: string,
  event: HookEvent,
  definition: AppDefinition,
  environment: RunEnvironment,
): SettledEvent {
  const registrations = isKnownEvent(event.name)
    ? definition.registrations.filter((one) => one.event === event.name)
    : definition.registrations;
  const wireAnswer = appFailure(message, strictestMode(definition, registrations, environment.onFailure), event.raw);
  definition.observers.notify("hook-error", () => ({ event: event.name, error: message }), environment.complain);
  environment.log?.({
    time: new Date(environment.now()).toISOString(),
    ...(event.sessionId ? { session: event.sessionId } : {}),
    event: event.name,
    ...(typeof event["toolName"] === "string" ? { tool: event["toolName"] } : {}),
    answer: wireAnswer.exitCode === 2 ? "refused" : "none",
    exit: wireAnswer.exitCode,
    failed: message,
  });
  const refusal = wireAnswer.exitCode === 2 ? { refusal: { reason: message } } : {};
  return {
    ...wireAnswer,
    event: event.name,
    folded: { contexts: [], messages: [], ...refusal },
    warnings: [{ code: "app-failed", message }],
    trace: [],
    dispose: async () => undefined,
  };
}

/** Reports every failure on stderr, and to the user once per session and handler. */
async function reportFailures(
  run: ChainRun,
  event: HookEvent,
  state: { markReported(key: string): Promise<boolean> },
  environment: RunEnvironment,
): Promise<readonly Answer[]> {
  const messages: Answer[] = [];
  for (const { handler, message, stack } of run.failures) {
    const text = `Hook ${handler} failed on ${event.name}: ${message}`;
    environment.complain(stack === undefined ? text : `${text}\n${indented(stack)}`);
    run.warnings.push({ code: "handler-failed", message: text, handler });
    // Handlers of two apps may have the same name in the same session.
    const key = JSON.stringify([environment.file ?? "", event.name, handler]);
    if (!(await wasReported(state, key, environment))) messages.push({ kind: "systemMessage", text });
  }
  return messages;
}

function indented(stack: string): string {
  return stack.replace(/^/gm, "    ");
}

/** When the state cannot be read, the failure is reported again: twice is better than never. */
async function wasReported(
  state: { markReported(key: string): Promise<boolean> },
  key: string,
  environment: RunEnvironment,
): Promise<boolean> {
  try {
    return await state.markReported(key);
  } catch (error) {
    environment.complain(`Cannot record that a failure was reported: ${messageOf(error)}`);
    return false;
  }
}

/** Tool inputs and outputs are logged only if the app's options ask for it. */
async function contentFor(
  { log }: AppOptions,
  event: HookEvent,
  wireAnswer: WireAnswer,
  environment: RunEnvironment,
): Promise<object | undefined> {
  if (typeof log !== "object" || log.content !== true) return undefined;
  try {
    return (await import("../log/log-content.ts")).loggedContent(event, wireAnswer);
  } catch (error) {
    environment.complain(`The log has no content of this event: ${messageOf(error)}`);
    return undefined;
  }
}

/** Runs the chain inside the app's middleware. A middleware that throws is a failure of the app; earlier refusals still count. */
async function runInMiddleware(
  chain: readonly Registration[],
  event: HookEvent,
  around: Omit<ChainCall, "deadline">,
  run: ChainRun,
): Promise<readonly Answer[]> {
  const { definition, environment, reportTrouble } = around;
  const ms = deadlineOf(event.name, chain, definition);
  const call = { ...around, deadline: monotonicMs() + ms };
  if (definition.middleware.length === 0) {
    await runChain(chain, event, call, run);
    return run.answers;
  }
  const own = lazySignal(environment);
  const ctx = handlerContext(around.shared, appScope("middleware", event, around, own));
  const ended = await withinDeadline(ms, own, async () => {
    let ran: { readonly first: HookEvent; readonly last: HookEvent } | undefined;
    const said = await runWrapped(definition.middleware, event, ctx, async (first) => {
      ran = { first, last: await runChain(chain, first, call, run) };
      return run.answers;
    });
    const { answers, warnings } = acceptAnswers(said, event, "middleware", run.answers);
    run.warnings.push(...warnings);
    const final = applyRewrites(ran?.first ?? event, answers);
    if (ran === undefined || isSame(final.event, ran.last)) return final.answers;
    // The middleware changed what the handlers approved.
    const before = run.answers.length;
    await recheck(chain, final.event, call, run);
    return [...final.answers, ...run.answers.slice(before)];
  });
  if (ended.by === "value") return ended.value;
  const { message: why, stack }: LocatedError =
    ended.by === "error"
      ? locateError(ended.error, event.cwd ?? environment.cwd)
      : { message: `timed out after ${Math.round(ended.afterMs)} ms` };
  definition.observers.notify("hook-error", () => ({ event: event.name, error: why }), reportTrouble);
  run.failures.push({ handler: "middleware", message: why, ...(stack === undefined ? {} : { stack }) });
  const kept = run.answers.some(isRefusal) ? run.answers : [];
  if (strictestMode(definition, chain, environment.onFailure) === "continue") return kept;
  return [...kept, ...refusal(eventRule(event.name), event, `The app's middleware failed: ${why}`)];
}

function isSame(one: HookEvent, other: HookEvent): boolean {
  return one["input"] === other["input"] && one["response"] === other["response"];
}

/** The scope of a middleware or of a provider's factory. */
function appScope(
  name: string,
  event: HookEvent,
  { definition, environment, reportTrouble }: Pick<ChainCall, "definition" | "environment" | "reportTrouble">,
  own: LazySignal = lazySignal(environment),
): HandlerScope {
  return {
    space: undefined,
    own,
    log: () => eventLogger(event, environment, name),
    emit: (type, payload) =>
      definition.observers.notify("custom", () => ({ event: event.name, handler: name, type, payload }), reportTrouble),
  };
}
