import { defined, type EventName } from "../../protocol/internal.ts";
import { eventRules, type FailureMode, type MethodOf } from "../answer/event-rules.ts";
import { addTask, type TaskFunction, type TaskOptions, type TaskRef, type TaskTable } from "../tasks/task.ts";
import type { AppDefinition } from "./app-definition.ts";
import {
  checkDeclared,
  checkOptions,
  isPlainObject,
  type OptionType,
  requireOptions,
  sdkProblem,
} from "./argument-checks.ts";
import type { Context } from "./context.ts";
import { type Middleware, type Register, type RegisterAny, type Registration, register } from "./registration.ts";

/** A method per event of the catalog, `on` for any other, `use` and `task`. */
export type Registers<Self, Ctx> = {
  readonly [Name in EventName as MethodOf<Name>]: Register<Name, Self, Ctx>;
} & {
  readonly on: RegisterAny<Self, Ctx>;
  /** Wraps the handlers; the first registered is outermost. */
  use(middleware: Middleware<Ctx>): Self;
  /** Registers a function that `ctx.tasks` runs in the background, possibly in another process. Returns the reference to add jobs with. */
  task<Input = undefined, Output = unknown>(
    name: string,
    run: TaskFunction<Input, Output>,
    options?: TaskOptions,
  ): TaskRef<Input, Output>;
};

/** Handlers that belong together, to be included in an app. */
export type Blueprint<Ctx = Context> = Registers<BlueprintOf<Ctx>, Ctx> & BlueprintOf<Ctx>;

interface BlueprintOf<Ctx> extends Registers<Blueprint<Ctx>, Ctx> {
  readonly name: string | undefined;
}

/** Holds the definition of a blueprint. A global symbol, so that a blueprint of another copy of the package works too. */
export const blueprintSymbol: unique symbol = Symbol.for("hookline.blueprint") as never;

export interface BlueprintDefinition {
  readonly name: string | undefined;
  readonly registrations: readonly Registration[];
  readonly middleware: readonly Middleware[];
  readonly tasks: TaskTable;
  /** Set for strategies. */
  readonly strategy?: StrategyInfo;
}

export interface StrategyInfo {
  /** Unique in an app. */
  readonly name: string;
  /** Of the strategy, such as `1.0.0`. */
  readonly version: string;
  /** One line. */
  readonly description?: string;
  /** The events it handles. */
  readonly hooks: readonly string[];
}

/**
 * Creates an empty blueprint. With a name, its handlers have their own state and jobs. A function that creates one from options passes
 * them with the type of each, such as `{ file: "string", per: ["day", "month"] }`; any other option or value is rejected by name.
 */
export function blueprint<Options extends object>(
  name?: string,
  options?: Options,
  types: { readonly [Name in keyof Options]?: OptionType } = {},
): Blueprint {
  checkOptions({ name }, ["name"], "blueprint()");
  // The wrong option is in the call of the function that creates the blueprint.
  checkDeclared(options ?? {}, types, name ?? "a blueprint", { callsOut: 1 });
  return emptyBlueprint(name).plan;
}

function emptyBlueprint(name: string | undefined): { readonly plan: Blueprint; readonly parts: BlueprintDefinition } {
  const parts = { name, registrations: [], middleware: [], tasks: new Map() };
  const plan = { name, [blueprintSymbol]: parts };
  addMethods(plan, parts, name);
  return { plan: plan as unknown as Blueprint, parts };
}

type Registered = Pick<AppDefinition, "registrations" | "middleware" | "tasks">;

/** Puts the registration methods on an app or a blueprint; each returns it, so calls chain. */
export function addMethods(target: object, { registrations, middleware, tasks }: Registered, name?: string): void {
  const add = (event: string, args: readonly unknown[], general: boolean) => {
    if (Object.isFrozen(registrations)) {
      const message = `${event} is registered on the blueprint ${name ?? "without a name"} after it was included, so the handler would never run. Register first.`;
      throw sdkProblem("already-included", message, { name, event });
    }
    const position = registrations.filter((one) => one.event === event).length + 1;
    registrations.push(register(event, args, general, position));
    return target;
  };
  const methods: Record<string, unknown> = {};
  for (const [event, { method }] of Object.entries(eventRules)) {
    methods[method] = (...args: unknown[]) => add(event, args, false);
  }
  methods["on"] = (event: unknown, ...args: unknown[]) => {
    if (typeof event === "string" && event !== "") return add(event, args, true);
    throw sdkProblem("no-event", 'on(name, …) needs the name of an event, such as "Stop".');
  };
  methods["use"] = (fn: unknown, ...more: readonly unknown[]) => {
    if (typeof fn !== "function") throw sdkProblem("no-handler", "use(middleware) needs a function.");
    if (more.length > 0) {
      const message = "use() takes one middleware at a time, so the others would never run. Call it once for each.";
      throw sdkProblem("bad-registration", message);
    }
    middleware.push(fn as Middleware);
    return target;
  };
  methods["task"] = (...args: unknown[]) => addTask(tasks, name, args);
  Object.assign(target, methods);
}

export function definitionOf(value: unknown): BlueprintDefinition | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as { [blueprintSymbol]?: BlueprintDefinition })[blueprintSymbol];
}

/** The definition of a strategy, passed to `defineStrategy`. */
export interface StrategyDefinition<Options extends object> extends StrategyInfo {
  /** The failure mode of handlers that set none. */
  readonly onFailure?: FailureMode;
  /** The types its handlers may `ctx.emit`. */
  readonly customEvents?: readonly string[];
  /** Options that a caller may omit. */
  readonly defaults?: Partial<Options>;
  /** The names of all its options, or the types by name. When set, any other option or value is rejected. */
  readonly options?: readonly (keyof Options & string)[] | { readonly [Name in keyof Options]: OptionType };
  /** Adds the handlers. */
  build(blueprint: Blueprint, options: Options): void;
}

/** A strategy with its options, for `app.include`. */
export interface Strategy extends StrategyInfo {
  readonly [blueprintSymbol]: BlueprintDefinition;
}

/** Creates a factory of strategies. Contract: the factory throws `undeclared-hook` for a handler that `hooks` does not declare. */
export function defineStrategy<Options extends object = Record<never, never>>(
  definition: StrategyDefinition<Options>,
): (options?: Partial<Options>) => Strategy {
  const of = `strategy ${String(definition?.name)}`;
  checkOptions(definition, strategyOptions, of);
  requireOptions(definition, ["name", "version", "hooks", "build"], of);
  const { name, version, description, hooks, onFailure, customEvents = [], defaults, build } = definition;
  return (options = {}) => {
    const declared = definition.options ?? Object.keys(options);
    const types = isPlainObject(declared) ? declared : Object.fromEntries(declared.map((one) => [one, undefined]));
    checkDeclared(options, types, of);
    const { plan, parts } = emptyBlueprint(name);
    const returned: unknown = build(plan, { ...defaults, ...defined(options) } as Options);
    if (returned instanceof Promise) {
      const message = `The build of strategy ${name} is asynchronous, so handlers that it registers later would never run. Register them synchronously, and await inside a handler.`;
      throw sdkProblem("bad-registration", message, { name });
    }
    // A handler that a timer or a promise registers later would never run.
    Object.freeze(parts.registrations);
    const registrations = parts.registrations.map((one) => ({
      ...one,
      onFailure: one.onFailure ?? onFailure,
      customEvents,
    }));
    const undeclared = registrations.flatMap(idsOf).filter((id) => !isDeclared(id, hooks));
    if (undeclared.length > 0) {
      const message = `Strategy ${name} registers ${undeclared.join(", ")} but declares only ${hooks.join(", ")}.`;
      throw sdkProblem("undeclared-hook", message, { name, undeclared, hooks });
    }
    const info = { name, version, ...defined({ description }), hooks };
    return Object.freeze({ ...info, [blueprintSymbol]: { ...parts, registrations, strategy: info } });
  };
}

const strategyOptions: readonly (keyof StrategyDefinition<object>)[] = [
  "name",
  "version",
  "description",
  "hooks",
  "onFailure",
  "customEvents",
  "defaults",
  "options",
  "build",
];

/** `PreToolUse:Bash` for each name that a handler is registered for, `Stop` for all. */
export function idsOf({ event, what }: Registration): readonly string[] {
  return what === undefined ? [event] : what.map((name) => `${event}:${name}`);
}

/** `PreToolUse` and `PreToolUse:*` declare every handler of the event. */
function isDeclared(id: string, hooks: readonly string[]): boolean {
  const event = id.split(":", 1)[0] ?? id;
  return hooks.some((hook) => hook === id || hook === event || hook === `${event}:*`);
}
