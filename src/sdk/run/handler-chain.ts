import { monotonicMs } from "../../files/internal.ts";
import { messageOf } from "../../protocol/internal.ts";
import { type AppWarning, acceptAnswers } from "../answer/accept-answers.ts";
import type { Answer } from "../answer/answer.ts";
import { type EventRule, eventRule } from "../answer/event-rules.ts";
import { isRefusal } from "../answer/fold-answers.ts";
import { applyRewrites } from "../answer/rewrite-event.ts";
import { type AppDefinition, parseToolInput } from "../app/app-definition.ts";
import { sdkProblem } from "../app/argument-checks.ts";
import { handlerContext } from "../app/context.ts";
import { type HookEvent, matchedValue, toolOf, withField } from "../app/hook-event.ts";
import type { FailureMode, Registration } from "../app/registration.ts";
import type { RunEnvironment } from "../app/run-environment.ts";
import { eventLogger } from "../log/logger.ts";
import { locateError } from "./error-location.ts";
import { isPromise, lazySignal, type WorkEnd, withinDeadline } from "./handler-deadline.ts";
import { runWrapped } from "./middleware.ts";
import { handlerRank, namesTool } from "./select-handlers.ts";

/** What one handler did for an event. */
export interface HandlerTrace {
  readonly name: string;
  readonly outcome: "answered" | "passed" | "skipped" | "failed" | "timed-out" | "not-reached";
  readonly ms: number;
  readonly answers?: readonly string[];
  /** The reason of its first answer that has one. */
  readonly reason?: string;
  /** With the location in the author's file, if known. */
  readonly error?: string;
  /** One frame per line. */
  readonly stack?: string;
  /** A second run, on the final input. */
  readonly again?: true;
}

/** The results of a chain. Filled while the chain runs, so that nothing is lost when a middleware fails. */
export interface ChainRun {
  readonly answers: Answer[];
  readonly warnings: AppWarning[];
  readonly trace: HandlerTrace[];
  readonly failures: { readonly handler: string; readonly message: string; readonly stack?: string }[];
  /** Errors outside the chain, such as an observer that threw. */
  readonly troubles: string[];
}

export interface ChainCall {
  readonly definition: AppDefinition;
  readonly environment: RunEnvironment;
  /** The context all handlers share. */
  readonly shared: object;
  /** Called for errors outside the chain. */
  readonly reportTrouble: (line: string) => void;
  /** When the whole chain must have end, on the clock of `monotonicMs`. */
  readonly deadline: number;
}

/** The registrations that match an event: exact names, patterns, catch-all, then `on`; in registration order within each. */
export function selectHandlers(registrations: readonly Registration[], event: HookEvent): readonly Registration[] {
  const value = matchedValue(event);
  return registrations
    .filter((one) => one.event === event.name)
    .map((one) => ({ one, rank: handlerRank(one, value) }))
    .filter((entry): entry is { one: Registration; rank: number } => entry.rank !== undefined)
    .sort((a, b) => a.rank - b.rank)
    .map(({ one }) => one);
}

/** Runs one handler after another; a refusal ends the chain. Fills `run` and returns the event with all rewrites. */
export async function runChain(
  chain: readonly Registration[],
  first: HookEvent,
  call: ChainCall,
  run: ChainRun,
): Promise<HookEvent> {
  let event = first;
  let rewrittenBy = -1;
  for (const [index, registration] of chain.entries()) {
    if (run.answers.some(isRefusal)) {
      run.trace.push({ name: registration.name, outcome: "not-reached", ms: 0 });
      continue;
    }
    const next = await runOne(registration, event, call, run, false);
    if (next !== event) rewrittenBy = index;
    event = next;
  }
  await recheck(chain.slice(0, Math.max(0, rewrittenBy)), event, call, run);
  return event;
}

/** Runs the handlers with `recheck` again, on the rewritten event. */
export async function recheck(
  ran: readonly Registration[],
  event: HookEvent,
  call: ChainCall,
  run: ChainRun,
): Promise<void> {
  for (const registration of ran) {
    if (registration.options.recheck !== true || run.answers.some(isRefusal)) continue;
    await runOne(registration, event, call, run, true);
  }
}

/** Returns the event for the next handler. */
async function runOne(
  registration: Registration,
  event: HookEvent,
  call: ChainCall,
  run: ChainRun,
  again: boolean,
): Promise<HookEvent> {
  const { observers } = call.definition;
  const { reportTrouble } = call;
  const { name } = registration;
  const about = () => ({ event: event.name, ...(event.sessionId ? { session: event.sessionId } : {}), handler: name });
  observers.notify("handler-start", about, reportTrouble);
  const startedAt = monotonicMs();
  const end = await callHandler(registration, event, call);
  const ms = monotonicMs() - startedAt;
  const mark = again ? ({ again } as const) : {};
  if (end.by === "value" && end.value === "skipped") {
    run.trace.push({ name, outcome: "skipped", ms, ...mark });
    observers.notify("handler-skip", about, reportTrouble);
    return event;
  }
  const result = readResult(end as WorkEnd<unknown>, event, registration, call.environment);
  if ("failed" in result) {
    const stack = result.stack === undefined ? {} : { stack: result.stack };
    run.trace.push({ name, outcome: result.outcome, ms, error: result.failed, ...stack, ...mark });
    run.failures.push({ handler: name, message: result.failed, ...stack });
    run.answers.push(...refusalFor(registration, event, result.failed, call));
    observers.notify("handler-error", () => ({ ...about(), error: result.failed }), reportTrouble);
    return event;
  }
  const answers = again
    ? result.answers.filter((answer) => answer.kind === "ask" || isRefusal(answer))
    : result.answers;
  run.answers.push(...answers);
  run.warnings.push(...result.warnings);
  const outcome = answers.length > 0 ? "answered" : "passed";
  run.trace.push({ name, outcome, ms, answers: answers.map(({ kind }) => kind), ...reasonIn(answers), ...mark });
  observers.notify("handler-end", () => ({ ...about(), ms, answers: answers.map(({ kind }) => kind) }), reportTrouble);
  return again ? event : result.event;
}

function reasonIn(answers: readonly Answer[]): { readonly reason?: string } {
  for (const answer of answers) {
    if ("reason" in answer && typeof answer.reason === "string") return { reason: answer.reason };
  }
  return {};
}

/** The return value of the handler, or `skipped` when its `when` returns false. A `when` that throws is a failure of the handler. */
function callHandler(registration: Registration, event: HookEvent, call: ChainCall): Promise<WorkEnd<unknown>> {
  const { options, handler, wrappers, space, name } = registration;
  const { definition, environment } = call;
  const own = lazySignal(environment);
  const ctx = handlerContext(call.shared, {
    space,
    own,
    log: () => eventLogger(event, environment, name),
    emit: (type, payload) => emit(registration, event, type, payload, call),
  });
  const leftMs = Math.max(0, call.deadline - monotonicMs());
  const ms = Math.min(leftMs, options.timeoutMs ?? definition.options.timeoutMs ?? leftMs);
  return withinDeadline(ms, own, () => {
    const checked = withCheckedInput(registration, event, definition);
    const go = (ready: HookEvent) => runWrapped(wrappers, ready, ctx, (inner) => handler(inner, ctx));
    const guarded = (ready: HookEvent): unknown => {
      const open = options.when ? options.when(ready, ctx) : true;
      if (isPromise(open)) return open.then((yes) => (yes ? go(ready) : "skipped"));
      return open ? go(ready) : "skipped";
    };
    return isPromise(checked) ? checked.then(guarded) : guarded(checked);
  });
}

function withCheckedInput(
  registration: Registration,
  event: HookEvent,
  definition: AppDefinition,
): HookEvent | Promise<HookEvent> {
  const tool = event["toolName"];
  if (definition.schemas.size === 0 || typeof tool !== "string" || !namesTool(registration, tool)) return event;
  const schema = definition.schemas.get(toolOf(tool));
  if (schema === undefined) return event;
  return parseToolInput(schema, event["input"]).then((input) => withField(event, "input", input));
}

type HandlerResult =
  | { readonly answers: readonly Answer[]; readonly warnings: readonly AppWarning[]; readonly event: HookEvent }
  | { readonly failed: string; readonly stack?: string | undefined; readonly outcome: "failed" | "timed-out" };

function readResult(
  end: WorkEnd<unknown>,
  event: HookEvent,
  { name }: Registration,
  { cwd }: RunEnvironment,
): HandlerResult {
  if (end.by === "timeout") {
    return { failed: `timed out after ${Math.round(end.afterMs)} ms`, outcome: "timed-out" };
  }
  if (end.by === "error") {
    const { message, stack } = locateError(end.error, event.cwd ?? cwd);
    return { failed: message, stack, outcome: "failed" };
  }
  try {
    const { answers, warnings } = acceptAnswers(end.value, event, name);
    return { ...applyRewrites(event, answers), warnings };
  } catch (error) {
    return { failed: messageOf(error), outcome: "failed" };
  }
}

/** Under `block` a failure refuses the event and names handler and error; under `continue` it is only reported. */
function refusalFor(
  registration: Registration,
  event: HookEvent,
  why: string,
  { definition }: ChainCall,
): readonly Answer[] {
  const mode: FailureMode = registration.onFailure ?? definition.options.onFailure ?? "continue";
  return mode === "block" ? refusal(eventRule(event.name), event, `${registration.name} failed: ${why}`) : [];
}

/** The strictest answer of the event. None if it cannot be refused, or if the agent already continues because of a refusal. */
export function refusal(rule: EventRule, event: HookEvent, reason: string): readonly Answer[] {
  if (rule.refusal === undefined) return [];
  if (rule.refusesOncePerTurn && event["stopHookActive"] === true) return [];
  return [{ kind: rule.refusal, reason }];
}

function emit(registration: Registration, event: HookEvent, type: string, payload: unknown, call: ChainCall): void {
  const { customEvents, name } = registration;
  if (customEvents && !customEvents.includes(type)) {
    const message = `${name} emits "${type}", which its strategy does not declare under customEvents.`;
    throw sdkProblem("undeclared-event", message, { type, declared: customEvents });
  }
  const about = () => ({ event: event.name, handler: name, type, payload });
  call.definition.observers.notify("custom", about, call.reportTrouble);
}
