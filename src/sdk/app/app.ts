import { dispatchEvent } from "../run/dispatch-event.ts";
import { type ScopedState, type StateDefaults, stateScopes } from "../state/state.ts";
import { joinTasks } from "../tasks/task.ts";
import { type AppDefinition, type AppOptions, deadlineOf, strictestMode, type ToolSchema } from "./app-definition.ts";
import { type AppRuntime, appSymbol } from "./app-runtime.ts";
import { checkOptions, sdkProblem } from "./argument-checks.ts";
import {
  addMethods,
  type Blueprint,
  definitionOf,
  idsOf,
  type Registers,
  type Strategy,
  type StrategyInfo,
} from "./blueprint.ts";
import type { Context } from "./context.ts";
import { type HookEvent, toolOf } from "./hook-event.ts";
import { type ObservationKind, type Observer, openObservers } from "./observers.ts";
import { openProviders, type ProviderOptions } from "./providers.ts";
import { atPosition, type Registration, whyNeverMatches } from "./registration.ts";

/** An app: handlers for events, in the order they were registered. */
export type App<Ctx = Context> = AppOf<Ctx> & Registers<AppOf<Ctx>, Ctx>;

export interface AppOf<Ctx> extends Registers<App<Ctx>, Ctx> {
  /** Adds the handlers of a blueprint or strategy after those registered so far. */
  include(part: Blueprint<never> | Blueprint | Strategy, options?: { onConflict?: "order" }): App<Ctx>;
  /** Adds `ctx[name]` for handlers. The factory creates the value on first access. */
  provide<Name extends string, Value>(
    name: Name,
    factory: (ctx: Ctx, event: HookEvent) => Value,
    options?: ProviderOptions<Value>,
  ): App<Ctx & { readonly [Key in Name]: Value }>;
  observe(observer: Observer): App<Ctx>;
  observe(kind: ObservationKind, observer: Observer): App<Ctx>;
  /** Checks the input of one tool before handlers that are named for it see it. */
  registerToolEvent(tool: string, schema: ToolSchema): App<Ctx>;
  readonly strategies: readonly StrategyInfo[];
}

/** Creates an app: register handlers on it and export it as the default of a hooks file. */
export function createApp<Defaults extends StateDefaults = StateDefaults>(
  options: AppOptions<Defaults> = {},
): App<ContextOf<Defaults>> {
  checkAppOptions(options);
  const definition: AppDefinition = {
    options,
    registrations: [],
    middleware: [],
    providers: openProviders(),
    observers: openObservers(),
    schemas: new Map(),
    tasks: new Map(),
  };
  const strategies: StrategyInfo[] = [];
  const included = new Set<unknown>();
  const app: Record<PropertyKey, unknown> = {
    strategies,
    [appSymbol]: runtimeOf(definition),
    include(part: unknown, options: { onConflict?: "order" } = {}, ...more: readonly unknown[]) {
      const added = definitionOf(part);
      if (definitionOf(options) !== undefined || more.length > 0) {
        const message = "include() takes one part at a time, so the others would never run. Call it once for each.";
        throw sdkProblem("bad-registration", message);
      }
      checkOptions(options, ["onConflict"], "include()");
      const { onConflict } = options;
      if (added === undefined) throw sdkProblem("not-includable", "include() takes a blueprint or a strategy.");
      if (included.has(part)) {
        const message = `The blueprint ${added.name ?? "without a name"} is included already.`;
        throw sdkProblem("already-included", message, { name: added.name });
      }
      if (added.strategy && onConflict !== "order") checkConflicts(added.strategy, strategies);
      joinTasks(definition.tasks, added.tasks);
      // A handler that is registered later would never run.
      Object.freeze(added.registrations);
      included.add(part);
      if (added.strategy) strategies.push(added.strategy);
      for (const one of added.registrations) {
        const position = definition.registrations.filter(({ event }) => event === one.event).length + 1;
        definition.registrations.push({ ...atPosition(one, position), space: added.name, wrappers: added.middleware });
      }
      return app;
    },
    provide(name: string, factory: never, options: ProviderOptions<unknown> = {}) {
      if (typeof factory !== "function")
        throw sdkProblem("no-handler", `provide("${name}", factory) needs a function.`);
      checkOptions(options, ["scope", "dispose"], `provide("${name}")`);
      const { scope = "event", dispose } = options;
      definition.providers.add(name, { factory, scope, dispose: dispose as never });
      return app;
    },
    observe(...args: unknown[]) {
      definition.observers.add(args);
      return app;
    },
    registerToolEvent(tool: string, schema: ToolSchema) {
      if (typeof tool !== "string" || !(typeof schema === "function" || schema?.["~standard"])) {
        const message = "registerToolEvent takes the name of one tool, and a function or a Standard Schema.";
        throw sdkProblem("bad-registration", message, { tool });
      }
      if (tool.includes("*") || whyNeverMatches(tool, true) !== undefined) {
        const message = `registerToolEvent takes the name of one tool, and ${JSON.stringify(tool)} is not one, so no input would be checked.`;
        throw sdkProblem("bad-registration", message, { tool });
      }
      definition.schemas.set(toolOf(tool), schema);
      return app;
    },
  };
  addMethods(app, definition);
  return app as unknown as App<ContextOf<Defaults>>;
}

const appOptions: readonly (keyof AppOptions)[] = [
  "onFailure",
  "timeoutMs",
  "stateDir",
  "stateMaxBytes",
  "state",
  "tasks",
  "log",
];

function checkAppOptions(options: AppOptions): void {
  checkOptions(options, appOptions, "createApp");
  const { state = {}, log } = options;
  checkOptions(state, stateScopes, "state of createApp");
  if (typeof log === "object") checkOptions(log, ["content", "maxBytes", "files"], "log of createApp");
}

/** The context with the types that `createApp({ state })` declares. */
export type ContextOf<Defaults extends StateDefaults> = StateDefaults extends Defaults
  ? Context
  : Omit<Context, "state"> & { readonly state: ScopedState<Defaults> };

function runtimeOf(definition: AppDefinition): AppRuntime {
  const forEvent = (event: string | undefined): readonly Registration[] =>
    event === undefined ? definition.registrations : definition.registrations.filter((one) => one.event === event);
  return {
    options: definition.options,
    tasks: definition.tasks,
    contextNames: () => definition.providers.contextNames(),
    end: () => definition.providers.disposeAll(),
    observe: (observer) => definition.observers.add([observer]),
    dispatch: (payload, environment) => dispatchEvent(definition, payload, environment),
    handlers: () => definition.registrations.map(({ event, name, what }) => ({ event, name, what })),
    modeFor: (event, given) => strictestMode(definition, forEvent(event), given),
    describe: () =>
      [...new Set(definition.registrations.map(({ event }) => event))].map((event) => ({
        event,
        ids: [...new Set(forEvent(event).flatMap(idsOf))],
        onFailure: strictestMode(definition, forEvent(event), undefined),
        deadlineMs: deadlineOf(event, forEvent(event), definition),
      })),
  };
}

function checkConflicts(added: StrategyInfo, present: readonly StrategyInfo[]): void {
  for (const other of present) {
    const ids = added.hooks.filter((id) => other.hooks.includes(id));
    if (ids.length === 0) continue;
    const names = `${added.name} ${added.version} and ${other.name} ${other.version}`;
    const message = `${names} both declare ${ids.join(", ")}. Include one of them, or pass { onConflict: "order" }.`;
    throw sdkProblem("strategy-conflict", message, { names: [added.name, other.name], ids });
  }
}
