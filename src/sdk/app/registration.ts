import type { EventName } from "../../protocol/internal.ts";
import type { Answer, AnswerOf, NewOutput } from "../answer/answer.ts";
import { eventRule, type FailureMode, type LegalKind, type ToolEventName } from "../answer/event-rules.ts";
import { checkOptions, describeType, isPlainObject, sdkProblem } from "./argument-checks.ts";
import type { Context } from "./context.ts";
import type { EventOf, GenericEvent, HookEvent, OpenToolEvent, ResponseOf, ToolEvent, ToolName } from "./hook-event.ts";

/** Nothing (no opinion), one answer, or several. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that is declared to return nothing is a handler too.
export type Returned<One> = One | readonly One[] | undefined | null | void;

/** The answers that a handler of this event may return. */
export type AnswerFor<Name extends EventName> = AnswerOf<LegalKind<Name>>;

/** The answers about one tool: a new output has the shape of the tool's response, if that is declared. */
export type AnswerForTool<Name extends EventName, Tool extends ToolName> =
  | Exclude<AnswerFor<Name>, { kind: "updateOutput" }>
  | ("updateOutput" extends LegalKind<Name> ? NewOutput<ResponseOf<Tool>> : never);

/** A function that handles an event of an app. */
export type AppHandler<Event, One, Ctx> = (event: Event, ctx: Ctx) => Returned<One> | Promise<Returned<One>>;

/** Options of one handler, passed when it is registered. */
export interface AppHandlerOptions<Event = HookEvent, Ctx = Context> {
  /** The handler is skipped when this returns false. */
  readonly when?: (event: Event, ctx: Ctx) => boolean | Promise<boolean>;
  /** What a failure of this handler means. Default: the mode of the strategy or the app. */
  readonly onFailure?: FailureMode;
  /** The deadline of this handler. Default: that of the app, else the time left for the event (30 s, unless a handler has a longer deadline). */
  readonly timeoutMs?: number;
  /** Names the handler in the log, in tests and in messages. Default: the name of the function, else its event and number. */
  readonly name?: string;
  /** Runs the handler again when a later one rewrote the input. Only a refusal or a question of that run counts. */
  readonly recheck?: boolean;
}

/** How to register for an event: `method(what?, options?, handler)`. */
export type Register<Name extends EventName, Self, Ctx> = Name extends ToolEventName
  ? ToolRegister<Name, Self, Ctx>
  : PlainRegister<EventOf<Name>, AnswerFor<Name>, Self, Ctx>;

export interface PlainRegister<Event, One, Self, Ctx> {
  (handler: AppHandler<Event, One, Ctx>): Self;
  (options: AppHandlerOptions<Event, Ctx>, handler: AppHandler<Event, One, Ctx>): Self;
  (what: string | readonly string[], handler: AppHandler<Event, One, Ctx>): Self;
  (
    what: string | readonly string[],
    options: AppHandlerOptions<Event, Ctx>,
    handler: AppHandler<Event, One, Ctx>,
  ): Self;
}

export interface ToolRegister<Name extends ToolEventName, Self, Ctx> {
  (handler: AppHandler<OpenToolEvent<Name>, AnswerFor<Name>, Ctx>): Self;
  (
    options: AppHandlerOptions<OpenToolEvent<Name>, Ctx>,
    handler: AppHandler<OpenToolEvent<Name>, AnswerFor<Name>, Ctx>,
  ): Self;
  <Tool extends AnyTool>(
    tool: Tool | readonly Tool[],
    handler: AppHandler<EventFor<Tool, Name>, AnswerAbout<Tool, Name>, Ctx>,
  ): Self;
  <Tool extends AnyTool>(
    tool: Tool | readonly Tool[],
    options: AppHandlerOptions<EventFor<Tool, Name>, Ctx>,
    handler: AppHandler<EventFor<Tool, Name>, AnswerAbout<Tool, Name>, Ctx>,
  ): Self;
}

/** Editors complete the known names; any other is accepted. One signature for both gives better type errors. */
type AnyTool = ToolName | (string & Record<never, never>);

/** Typed when all names are known. With a pattern or an unknown name among them, the event is that of any tool. */
type EventFor<Tool extends AnyTool, Name extends ToolEventName> = [Tool] extends [ToolName]
  ? ToolEvent<Tool, Name>
  : OpenToolEvent<Name>;

type AnswerAbout<Tool extends AnyTool, Name extends ToolEventName> = [Tool] extends [ToolName]
  ? AnswerForTool<Name, Tool>
  : AnswerFor<Name>;

/** `on(name, …)`: any event, known or not. */
export interface RegisterAny<Self, Ctx> {
  <Name extends EventName>(name: Name, handler: AppHandler<EventOf<Name>, AnswerFor<Name>, Ctx>): Self;
  <Name extends EventName>(
    name: Name,
    options: AppHandlerOptions<EventOf<Name>, Ctx>,
    handler: AppHandler<EventOf<Name>, AnswerFor<Name>, Ctx>,
  ): Self;
  <Name extends EventName>(
    name: Name,
    what: string | readonly string[],
    handler: AppHandler<EventOf<Name>, AnswerFor<Name>, Ctx>,
  ): Self;
  <Name extends EventName>(
    name: Name,
    what: string | readonly string[],
    options: AppHandlerOptions<EventOf<Name>, Ctx>,
    handler: AppHandler<EventOf<Name>, AnswerFor<Name>, Ctx>,
  ): Self;
  (name: string, handler: AppHandler<GenericEvent, AnswerOf<"raw" | "systemMessage">, Ctx>): Self;
  (
    name: string,
    options: AppHandlerOptions<GenericEvent, Ctx>,
    handler: AppHandler<GenericEvent, AnswerOf<"raw" | "systemMessage">, Ctx>,
  ): Self;
}

export type AnyHandler = AppHandler<HookEvent, Answer, Context>;
/** A function that runs around the handlers of every event, registered with `app.use`. */
export type Middleware<Ctx = Context> = (
  event: HookEvent,
  ctx: Ctx,
  next: (event?: HookEvent) => Promise<readonly Answer[]>,
) => Returned<Answer> | Promise<Returned<Answer>>;

/** One call of a registration method. */
export interface Registration {
  readonly event: string;
  /** The names or patterns it is registered for. Undefined: all. */
  readonly what: readonly string[] | undefined;
  readonly handler: AnyHandler;
  readonly options: AppHandlerOptions;
  /** Registered with `on`: runs after all others. */
  readonly general: boolean;
  readonly name: string;
  /** The blueprint or strategy it belongs to; a prefix for its state. */
  readonly space: string | undefined;
  readonly onFailure: FailureMode | undefined;
  /** Middleware of its blueprint, outermost first. */
  readonly wrappers: readonly Middleware[];
  readonly customEvents: readonly string[] | undefined;
}

/** Reads the arguments `(what?, options?, handler)`. `position` is the number of the registration among those of the event. */
export function register(event: string, args: readonly unknown[], general: boolean, position: number): Registration {
  const rest = [...args];
  const handler = rest.pop();
  if (typeof handler !== "function") {
    const message = `The last argument for ${event} must be a function, not ${describeType(handler)}.`;
    throw sdkProblem("no-handler", message, { event });
  }
  const what = typeof rest[0] === "string" || Array.isArray(rest[0]) ? readMatch(rest.shift(), event) : undefined;
  if (what !== undefined && eventRule(event).matches === undefined) {
    const message = `${event} has nothing that ${JSON.stringify(what.join("|"))} could be compared with, so the handler would never run. Leave it out.`;
    throw sdkProblem("bad-registration", message, { event, what });
  }
  const options = rest.shift() ?? {};
  if (!isPlainObject(options) || rest.length > 0) {
    const message = `A handler for ${event} is registered as (what?, options?, handler).`;
    throw sdkProblem("bad-registration", message, { event });
  }
  const name = ownName(handler as AnyHandler, options as AppHandlerOptions) || positionName(event, what, position);
  checkOptions(options, handlerOptions, name);
  return {
    event,
    what,
    handler: handler as AnyHandler,
    options: options as AppHandlerOptions,
    general,
    name,
    space: undefined,
    onFailure: (options as AppHandlerOptions).onFailure,
    wrappers: [],
    customEvents: undefined,
  };
}

const handlerOptions: readonly (keyof AppHandlerOptions)[] = ["when", "onFailure", "timeoutMs", "name", "recheck"];

/** A blueprint's registration at its position in an app. A handler without a name is named after the position. */
export function atPosition(registration: Registration, position: number): Registration {
  const { event, what, handler, options } = registration;
  return ownName(handler, options) ? registration : { ...registration, name: positionName(event, what, position) };
}

function ownName(handler: AnyHandler, { name }: AppHandlerOptions): string {
  return name || handler.name;
}

function positionName(event: string, what: Registration["what"], position: number): string {
  return `${event}${what ? `:${what.join("|")}` : ""}#${position}`;
}

function readMatch(value: unknown, event: string): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0 || list.some((one) => typeof one !== "string" || one === "")) {
    const message = `The list of what a handler for ${event} is meant for is empty. Leave it out to mean all, or name at least one.`;
    throw sdkProblem("empty-match", message, { event });
  }
  for (const name of list as readonly string[]) {
    const wayOut = whyNeverMatches(name, eventRule(event).tool === true);
    if (wayOut === undefined) continue;
    const message = `A handler of ${event} for ${JSON.stringify(name)} would never run. ${wayOut}`;
    throw sdkProblem("bad-registration", message, { event, what: name });
  }
  return list as readonly string[];
}

/** Advice for a name that uses the syntax of matchers or permission rules. Undefined for a name that can match. */
export function whyNeverMatches(name: string, isTool: boolean): string | undefined {
  if (name.includes("|") && !/[()]/.test(name)) return `Write a list: ${JSON.stringify(name.split("|"))}.`;
  if (!isTool || !/[\s,|()[\]{}^$+?\\]|\.\*/.test(name)) return undefined;
  const [, tool] = /^(\w+)\(.*\)$/s.exec(name) ?? [];
  return tool === undefined
    ? "Name tools as they are called, several as a list; in a pattern only * is special, and means any characters."
    : `Name the tool alone (${JSON.stringify(tool)}) and look at its input in the handler.`;
}
