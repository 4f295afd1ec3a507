import { monotonicMs } from "../../files/internal.ts";
import { defined, lazy, messageOf } from "../../protocol/internal.ts";
import { acceptAnswers } from "../answer/accept-answers.ts";
import type { Answer } from "../answer/answer.ts";
import { eventRule, isKnownEvent } from "../answer/event-rules.ts";
import { foldAnswers, isRefusal, refusal } from "../answer/fold-answers.ts";
import { applyRewrites } from "../answer/rewrite-event.ts";
import { appFailure, toWire, type WireAnswer } from "../answer/wire-answer.ts";
import { type AppDefinition, type AppOptions, deadlineOf, strictestMode } from "../app/app-definition.ts";
import type { SettledEvent } from "../app/app-runtime.ts";
import { eventContext, handlerContext } from "../app/context.ts";
import { eventLabels, type HookEvent, readEvent, type WirePayload } from "../app/hook-event.ts";
import type { Registration } from "../app/registration.ts";
import type { RunEnvironment } from "../app/run-environment.ts";
import { eventLogRecord, recordHead } from "../log/log-record.ts";
import { type ScopeStore, type StateAccess, type StoreName, stateAccess } from "../state/state.ts";
import { lazyTasks } from "../tasks/tasks.ts";
import { type ChainRun, handlerFailure, recheck, runChain, scopeOf, selectHandlers } from "./handler-chain.ts";
import { LazySignal, withinDeadline } from "./handler-deadline.ts";
import { runWrapped } from "./middleware.ts";
import { denyForCodex, foreignPayloadReason, unmatchedPayloadReason } from "./read-payload.ts";

/** Runs an app for one event. Contract: never rejects, whatever handlers, middleware, observers and providers do. */
export async function dispatchEvent(
  definition: AppDefinition,
  payload: WirePayload,
  environment: RunEnvironment,
): Promise<SettledEvent> {
  const startedAt = monotonicMs();
  const event = readEvent(payload);
  const { observers, options, providers, registrations } = definition;
  const unmatched = unmatchedPayloadReason(event);
  // No handler can judge a call of an unknown tool. Other events have handlers for every value, which still run.
  const unreadable = eventRule(event.name).tool ? unmatched : undefined;
  const fault = foreignPayloadReason(event, registrations) ?? unreadable;
  if (fault !== undefined) return refusePayload(fault, event, definition, environment);
  const chain = selectHandlers(registrations, event, unmatched);
  const state = environment.state ?? lazyState(event, options, environment);
  const tasks = lazyTasks(event, definition.tasks, environment, options.tasks);
  const troubles: string[] = [];
  const reportTrouble = (line: string) => {
    troubles.push(line);
    environment.complain(line);
  };
  const around = { definition, environment, reportTrouble };
  const forFactory = (name: string) => scopeOf({ name: `provider ${name}` }, event, around);
  const shared = eventContext({ event, environment, providers, state, tasks, forFactory });
  observers.notify("hook-start", () => eventLabels(event), reportTrouble);
  const deadlineMs = Math.max(0, deadlineOf(event.name, chain, definition) - (environment.spentMs ?? 0));
  const deadline = monotonicMs() + deadlineMs;
  const run: ChainRun = { ...around, shared, deadline, answers: [], warnings: [], trace: [], failures: [] };
  const answers = await runInMiddleware(chain, event, deadlineMs, run);
  for (const { message } of run.warnings) environment.complain(message);
  const failureMessages = await reportFailures(run, event, state);
  const folded = denyForCodex(foldAnswers([...answers, ...(await tasks.dueContext()), ...failureMessages]), payload);
  const wireAnswer = toWire(event.name, folded);
  const { wire } = wireAnswer;
  const ended = () => ({ ...eventLabels(event), ms: monotonicMs() - startedAt, wire });
  observers.notify("hook-end", ended, reportTrouble);
  const ms = monotonicMs() - startedAt;
  if (environment.log !== undefined) {
    const content = await contentFor(options, event, wireAnswer, environment);
    const record = eventLogRecord(event, wireAnswer, folded, run, troubles, ms, environment.now());
    environment.log({ ...record, ...defined({ content }) });
  }
  const dispose = async () => {
    await tasks.settled();
    await providers.disposeEvent(event);
  };
  return { ...wireAnswer, event: event.name, folded, warnings: run.warnings, trace: run.trace, dispose };
}

/** Fails by the failure mode. Other agents respect exit 2 with a reason on stderr, and few of them any other denial. */
function refusePayload(
  message: string,
  event: HookEvent,
  definition: AppDefinition,
  environment: RunEnvironment,
): SettledEvent {
  const isMeant = (one: Registration) => !isKnownEvent(event.name) || one.event === event.name;
  const mode = strictestMode(definition, definition.registrations.filter(isMeant), environment.onFailure);
  const wireAnswer = appFailure(message, mode, event.raw);
  const isRefused = wireAnswer.exitCode === 2;
  definition.observers.notify("hook-error", () => ({ event: event.name, error: message }), environment.complain);
  const answer = isRefused ? "refused" : "none";
  environment.log?.({
    ...recordHead(event, environment.now()),
    ...{ answer, exit: wireAnswer.exitCode, failed: message },
  });
  return {
    ...wireAnswer,
    event: event.name,
    folded: foldAnswers(isRefused ? [{ kind: "block", reason: message }] : []),
    warnings: [{ code: "app-failed", message }],
    trace: [],
    dispose: async () => undefined,
  };
}

/** State in files, opened on first use: an app that keeps none loads nothing. */
function lazyState(event: HookEvent, options: AppOptions, environment: RunEnvironment): StateAccess {
  const open = lazy(async () => (await import("../state/state-files.ts")).openStores(event, options, environment));
  const store = (scope: StoreName): ScopeStore => ({
    read: async () => (await open())(scope).read(),
    change: async (work) => (await open())(scope).change(work),
  });
  return stateAccess(store, options.state ?? {}, environment.now);
}

/** Reports every failure on stderr, and to the user once per session and handler. */
async function reportFailures(run: ChainRun, event: HookEvent, state: StateAccess): Promise<readonly Answer[]> {
  const { environment } = run;
  const messages: Answer[] = [];
  for (const { handler, message, stack } of run.failures) {
    const text = `Hook ${handler} failed on ${event.name}: ${message}`;
    environment.complain(stack === undefined ? text : `${text}\n${stack.replace(/^/gm, "    ")}`);
    run.warnings.push({ code: "handler-failed", message: text, handler });
    // Handlers of two apps may have the same name in the same session.
    const key = JSON.stringify([environment.file ?? "", event.name, handler]);
    // When the state cannot be read, the failure is reported again: twice is better than never.
    const isKnown = await state.markReported(key).catch((error: unknown) => {
      environment.complain(`Cannot record that a failure was reported: ${messageOf(error)}`);
      return false;
    });
    if (!isKnown) messages.push({ kind: "systemMessage", text });
  }
  return messages;
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
  deadlineMs: number,
  run: ChainRun,
): Promise<readonly Answer[]> {
  const { definition, environment } = run;
  if (definition.middleware.length === 0) {
    await runChain(chain, event, run);
    return run.answers;
  }
  const own = new LazySignal(environment);
  const ctx = handlerContext(run.shared, scopeOf({ name: "middleware" }, event, run, own));
  const ended = await withinDeadline(deadlineMs, own, async () => {
    let ran: { readonly first: HookEvent; readonly last: HookEvent } | undefined;
    const returned = await runWrapped(definition.middleware, event, ctx, async (first) => {
      ran = { first, last: await runChain(chain, first, run) };
      return run.answers;
    });
    const { answers, warnings } = acceptAnswers(returned, event, "middleware", run.answers);
    run.warnings.push(...warnings);
    const final = applyRewrites(ran?.first ?? event, answers);
    if (ran === undefined || isSame(final.event, ran.last)) return final.answers;
    // The middleware changed what the handlers approved.
    const before = run.answers.length;
    await recheck(chain, final.event, run);
    return [...final.answers, ...run.answers.slice(before)];
  });
  if (ended.by === "value") return ended.value;
  const failure = handlerFailure(ended, event, environment);
  const error = failure.message;
  definition.observers.notify("hook-error", () => ({ event: event.name, error }), run.reportTrouble);
  run.failures.push({ handler: "middleware", ...failure });
  const kept = run.answers.some(isRefusal) ? run.answers : [];
  if (strictestMode(definition, chain, environment.onFailure) === "continue") return kept;
  return [...kept, ...refusal(event, `The app's middleware failed: ${error}`)];
}

function isSame(one: HookEvent, other: HookEvent): boolean {
  return one["input"] === other["input"] && one["response"] === other["response"];
}
