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
  /** The first one it gave. */
  readonly reason?: string;
  /** With the place in the author's file, where that is known. */
  readonly error?: string;
  /** Where it was thrown, and who called, one frame per line. */
  readonly stack?: string;
  /** Ran again on the final input. */
  readonly again?: true;
}

/** What a chain leaves behind. It grows while the chain runs, so that nothing is lost when something around it breaks. */
export interface ChainRun {
  readonly answers: Answer[];
  readonly warnings: AppWarning[];
  readonly trace: HandlerTrace[];
  readonly failures: { readonly handler: string; readonly message: string; readonly stack?: string }[];
  /** What went wrong outside the chain, such as an observer that threw. */
  readonly troubles: string[];
}

export interface ChainCall {
  readonly parts: AppDefinition;
  readonly world: RunEnvironment;
  /** The context all handlers share. */
  readonly shared: object;
  /** Called with what goes wrong outside the chain. */
  readonly trouble: (line: string) => void;
  /** When the whole chain must be done, on the clock of `monotonicMs`. */
  readonly deadline: number;
}

/** The registrations an event is meant for: exact names, patterns, catch-all, then `on`; registration order within each. */
export function selectHandlers(registrations: readonly Registration[], event: HookEvent): readonly Registration[] {
  const value = matchedValue(event);
  return registrations
    .filter((one) => one.event === event.name)
    .map((one) => ({ one, rank: handlerRank(one, value) }))
    .filter((entry): entry is { one: Registration; rank: number } => entry.rank !== undefined)
    .sort((a, b) => a.rank - b.rank)
    .map(({ one }) => one);
}

/** One handler after another, each awaited; a refusal ends the chain. Fills `run` as it goes, and gives the event as it is then. */
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

/** Once more, on what came out of a rewrite: handlers that asked for it. */
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

/** Gives the event as the next handler shall see it. */
async function runOne(
  registration: Registration,
  event: HookEvent,
  call: ChainCall,
  run: ChainRun,
  again: boolean,
): Promise<HookEvent> {
  const { observers } = call.parts;
  const { trouble } = call;
  const { name } = registration;
  const about = () => ({ event: event.name, ...(event.sessionId ? { session: event.sessionId } : {}), handler: name });
  observers.tell("handler-start", about, trouble);
  const begun = monotonicMs();
  const ended = await callHandler(registration, event, call);
  const ms = monotonicMs() - begun;
  const mark = again ? ({ again } as const) : {};
  if (ended.by === "value" && ended.value === "skipped") {
    run.trace.push({ name, outcome: "skipped", ms, ...mark });
    observers.tell("handler-skip", about, trouble);
    return event;
  }
  const taken = take(ended as WorkEnd<unknown>, event, registration, call.world);
  if ("failed" in taken) {
    const stack = taken.stack === undefined ? {} : { stack: taken.stack };
    run.trace.push({ name, outcome: taken.outcome, ms, error: taken.failed, ...stack, ...mark });
    run.failures.push({ handler: name, message: taken.failed, ...stack });
    run.answers.push(...refusalFor(registration, event, taken.failed, call));
    observers.tell("handler-error", () => ({ ...about(), error: taken.failed }), trouble);
    return event;
  }
  const answers = again ? taken.answers.filter((answer) => answer.kind === "ask" || isRefusal(answer)) : taken.answers;
  run.answers.push(...answers);
  run.warnings.push(...taken.warnings);
  const outcome = answers.length > 0 ? "answered" : "passed";
  run.trace.push({ name, outcome, ms, answers: answers.map(({ kind }) => kind), ...reasonIn(answers), ...mark });
  observers.tell("handler-end", () => ({ ...about(), ms, answers: answers.map(({ kind }) => kind) }), trouble);
  return again ? event : taken.event;
}

function reasonIn(answers: readonly Answer[]): { readonly reason?: string } {
  for (const answer of answers) {
    if ("reason" in answer && typeof answer.reason === "string") return { reason: answer.reason };
  }
  return {};
}

/** What the handler said, or `skipped` when its guard says it is not meant. A guard that throws is a failure of its handler. */
function callHandler(registration: Registration, event: HookEvent, call: ChainCall): Promise<WorkEnd<unknown>> {
  const { options, handler, wrappers, space, name } = registration;
  const { parts, world } = call;
  const own = lazySignal(world);
  const ctx = handlerContext(call.shared, {
    space,
    own,
    log: () => eventLogger(event, world, name),
    emit: (type, payload) => emit(registration, event, type, payload, call),
  });
  const leftMs = Math.max(0, call.deadline - monotonicMs());
  const ms = Math.min(leftMs, options.timeoutMs ?? parts.options.timeoutMs ?? leftMs);
  return withinDeadline(ms, own, () => {
    const checked = withCheckedInput(registration, event, parts);
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
  parts: AppDefinition,
): HookEvent | Promise<HookEvent> {
  const tool = event["toolName"];
  if (parts.schemas.size === 0 || typeof tool !== "string" || !namesTool(registration, tool)) return event;
  const schema = parts.schemas.get(toolOf(tool));
  if (schema === undefined) return event;
  return parseToolInput(schema, event["input"]).then((input) => withField(event, "input", input));
}

type Taken =
  | { readonly answers: readonly Answer[]; readonly warnings: readonly AppWarning[]; readonly event: HookEvent }
  | { readonly failed: string; readonly stack?: string | undefined; readonly outcome: "failed" | "timed-out" };

function take(ended: WorkEnd<unknown>, event: HookEvent, { name }: Registration, { cwd }: RunEnvironment): Taken {
  if (ended.by === "timeout") {
    return { failed: `timed out after ${Math.round(ended.afterMs)} ms`, outcome: "timed-out" };
  }
  if (ended.by === "error") {
    const { message, stack } = locateError(ended.error, event.cwd ?? cwd);
    return { failed: message, stack, outcome: "failed" };
  }
  try {
    const { answers, warnings } = acceptAnswers(ended.value, event, name);
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
  { parts }: ChainCall,
): readonly Answer[] {
  const mode: FailureMode = registration.onFailure ?? parts.options.onFailure ?? "continue";
  return mode === "block" ? refusal(eventRule(event.name), event, `${registration.name} failed: ${why}`) : [];
}

/** The strictest answer of the event; none where nothing can be refused, or where one more refusal would only burn rounds. */
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
  call.parts.observers.tell("custom", about, call.trouble);
}
