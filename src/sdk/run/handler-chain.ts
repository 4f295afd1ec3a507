import { monotonicMs } from "../../files/internal.ts";
import { defined, fitsWildcard, messageOf } from "../../protocol/internal.ts";
import { acceptAnswers } from "../answer/accept-answers.ts";
import type { Answer } from "../answer/answer.ts";
import { eventRule } from "../answer/event-rules.ts";
import { isRefusal, refusal } from "../answer/fold-answers.ts";
import { applyRewrites } from "../answer/rewrite-event.ts";
import { type AppDefinition, parseToolInput } from "../app/app-definition.ts";
import { sdkProblem } from "../app/argument-checks.ts";
import { type HandlerScope, handlerContext } from "../app/context.ts";
import { eventLabels, type HookEvent, matchedValue, sameTool, toolOf, withField } from "../app/hook-event.ts";
import type { ObservationKind } from "../app/observers.ts";
import type { Registration } from "../app/registration.ts";
import type { RunEnvironment } from "../app/run-environment.ts";
import type { ChainResults } from "../log/log-record.ts";
import { eventLogger } from "../log/logger.ts";
import { type LocatedError, locateError } from "./error-location.ts";
import { isPromise, LazySignal, type WorkEnd, withinDeadline } from "./handler-deadline.ts";
import { runWrapped } from "./middleware.ts";

/** An event on its way through the handlers. The results are filled while the chain runs, so that none is lost when a middleware fails. */
export interface ChainRun extends ChainResults {
  readonly definition: AppDefinition;
  readonly environment: RunEnvironment;
  /** Called for errors outside the chain, such as an observer that threw. */
  readonly reportTrouble: (line: string) => void;
  /** The context all handlers share. */
  readonly shared: object;
  /** When the whole chain must have ended, on the clock of `monotonicMs`. */
  readonly deadline: number;
  readonly answers: Answer[];
}

/**
 * The registrations that match an event: exact names, patterns, catch-all, then `on`; in registration order within each. With `unmatched`,
 * the reason why names cannot be compared, handlers that are registered for a name fail.
 */
export function selectHandlers(
  registrations: readonly Registration[],
  event: HookEvent,
  unmatched?: string,
): readonly Registration[] {
  const value = matchedValue(event);
  return registrations
    .filter((one) => one.event === event.name)
    .map((one) => (unmatched === undefined || one.what === undefined ? one : failing(one, unmatched)))
    .map((one) => ({ one, rank: rankOf(one, value) }))
    .filter(({ rank }) => rank >= 0)
    .sort((a, b) => a.rank - b.rank)
    .map(({ one }) => one);
}

function failing(registration: Registration, reason: string): Registration {
  const handler = () => Promise.reject(new Error(reason));
  return { ...registration, what: undefined, handler, options: {}, wrappers: [] };
}

/** Lower runs first. Negative when the registration does not match the value. */
function rankOf({ what, general, event }: Registration, value: string): number {
  if (what === undefined) return general ? 3 : 2;
  const tool = eventRule(event).tool === true;
  if (what.some((name) => (tool ? sameTool(name, value) : name === value))) return general ? 3 : 0;
  if (what.some((name) => name.includes("*") && fitsWildcard(name, value))) return general ? 3 : 1;
  return -1;
}

/** Runs one handler after another; a refusal ends the chain. Fills `run` and returns the event with all rewrites. */
export async function runChain(chain: readonly Registration[], first: HookEvent, run: ChainRun): Promise<HookEvent> {
  let event = first;
  let rewrittenBy = -1;
  for (const [index, registration] of chain.entries()) {
    if (run.answers.some(isRefusal)) {
      run.trace.push({ name: registration.name, outcome: "not-reached", ms: 0 });
      continue;
    }
    const next = await runOne(registration, event, run, false);
    if (next !== event) rewrittenBy = index;
    event = next;
  }
  await recheck(chain.slice(0, Math.max(0, rewrittenBy)), event, run);
  return event;
}

/** Runs the handlers with `recheck` again, on the rewritten event. */
export async function recheck(ran: readonly Registration[], event: HookEvent, run: ChainRun): Promise<void> {
  for (const registration of ran) {
    if (registration.options.recheck !== true || run.answers.some(isRefusal)) continue;
    await runOne(registration, event, run, true);
  }
}

/** Returns the event for the next handler. */
async function runOne(registration: Registration, event: HookEvent, run: ChainRun, again: boolean): Promise<HookEvent> {
  const { name } = registration;
  const notify = (kind: ObservationKind, more: object = {}) =>
    run.definition.observers.notify(kind, () => ({ ...eventLabels(event), handler: name, ...more }), run.reportTrouble);
  notify("handler-start");
  const startedAt = monotonicMs();
  const end = await callHandler(registration, event, run);
  const ms = monotonicMs() - startedAt;
  const mark = again ? ({ again } as const) : {};
  if (end.by === "value" && end.value === "skipped") {
    run.trace.push({ name, outcome: "skipped", ms, ...mark });
    notify("handler-skip");
    return event;
  }
  const result = readResult(end, event, name, run.environment);
  if ("message" in result) {
    const { message, stack } = result;
    const outcome = end.by === "timeout" ? "timed-out" : "failed";
    run.trace.push({ name, outcome, ms, error: message, ...defined({ stack }), ...mark });
    run.failures.push({ handler: name, ...result });
    // Under `block` a failure refuses the event; under `continue` it is only reported.
    const mode = registration.onFailure ?? run.definition.options.onFailure;
    if (mode === "block") run.answers.push(...refusal(event, `${name} failed: ${message}`));
    notify("handler-error", { error: message });
    return event;
  }
  const counts = (answer: Answer) => !again || answer.kind === "ask" || isRefusal(answer);
  const accepted = result.answers.filter(counts);
  const answers = accepted.map(({ kind }) => kind);
  run.answers.push(...accepted);
  run.warnings.push(...result.warnings);
  const outcome = answers.length > 0 ? "answered" : "passed";
  run.trace.push({ name, outcome, ms, answers, ...reasonIn(accepted), ...mark });
  notify("handler-end", { ms, answers });
  return again ? event : result.event;
}

function reasonIn(answers: readonly Answer[]): { readonly reason?: string } {
  for (const answer of answers) {
    if ("reason" in answer && typeof answer.reason === "string") return { reason: answer.reason };
  }
  return {};
}

/** The return value of the handler, or `skipped` when its `when` returns false. A `when` that throws is a failure of the handler. */
function callHandler(registration: Registration, event: HookEvent, run: ChainRun): Promise<WorkEnd<unknown>> {
  const { options, handler, wrappers } = registration;
  const own = new LazySignal(run.environment);
  const ctx = handlerContext(run.shared, scopeOf(registration, event, run, own));
  const leftMs = Math.max(0, run.deadline - monotonicMs());
  const ms = Math.min(leftMs, options.timeoutMs ?? run.definition.options.timeoutMs ?? leftMs);
  return withinDeadline(ms, own, () => {
    const checked = withCheckedInput(registration, event, run.definition);
    const go = (ready: HookEvent) => runWrapped(wrappers, ready, ctx, (inner) => handler(inner, ctx));
    const guarded = (ready: HookEvent): unknown => {
      const open = options.when ? options.when(ready, ctx) : true;
      if (isPromise(open)) return open.then((yes) => (yes ? go(ready) : "skipped"));
      return open ? go(ready) : "skipped";
    };
    return isPromise(checked) ? checked.then(guarded) : guarded(checked);
  });
}

/** A schema applies to handlers that name its tool, and not by a pattern. */
function withCheckedInput({ what }: Registration, event: HookEvent, { schemas }: AppDefinition) {
  const tool = event["toolName"];
  if (schemas.size === 0 || typeof tool !== "string" || !what?.some((name) => sameTool(name, tool))) return event;
  const schema = schemas.get(toolOf(tool));
  if (schema === undefined) return event;
  return parseToolInput(schema, event["input"]).then((input) => withField(event, "input", input));
}

type HandlerResult = ReturnType<typeof acceptAnswers> & { readonly event: HookEvent };

function readResult(
  end: WorkEnd<unknown>,
  event: HookEvent,
  name: string,
  environment: RunEnvironment,
): HandlerResult | LocatedError {
  if (end.by !== "value") return handlerFailure(end, event, environment);
  try {
    const { answers, warnings } = acceptAnswers(end.value, event, name);
    return { ...applyRewrites(event, answers), warnings };
  } catch (error) {
    return { message: messageOf(error) };
  }
}

/** Why a handler or a middleware did not end with a value. */
export function handlerFailure(
  end: Exclude<WorkEnd<unknown>, { by: "value" }>,
  event: HookEvent,
  { cwd }: RunEnvironment,
): LocatedError {
  if (end.by === "timeout") return { message: `timed out after ${Math.round(end.afterMs)} ms` };
  return locateError(end.error, event.cwd ?? cwd);
}

/** The scope of a handler, a middleware or a provider's factory. */
export function scopeOf(
  { name, space, customEvents }: Partial<Registration> & { readonly name: string },
  event: HookEvent,
  { definition, environment, reportTrouble }: Pick<ChainRun, "definition" | "environment" | "reportTrouble">,
  own: LazySignal = new LazySignal(environment),
): HandlerScope {
  return {
    space,
    own,
    log: () => eventLogger(event, environment, name),
    emit(type, payload) {
      if (customEvents && !customEvents.includes(type)) {
        const message = `${name} emits "${type}", which its strategy does not declare under customEvents.`;
        throw sdkProblem("undeclared-event", message, { type, declared: customEvents });
      }
      const about = () => ({ event: event.name, handler: name, type, payload });
      definition.observers.notify("custom", about, reportTrouble);
    },
  };
}
