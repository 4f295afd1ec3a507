import { checkOptions } from "./argument-checks.ts";
import {
  type Blueprint,
  type BlueprintParts,
  blueprint,
  blueprintSymbol,
  partsOf,
  type StrategyInfo,
} from "./blueprint.ts";
import type { FailureMode, Registration } from "./registration.ts";
import { wrong } from "./wrong-call.ts";

export interface StrategyDefinition<Options extends object> extends StrategyInfo {
  /** For its handlers that do not say. */
  readonly onFailure?: FailureMode;
  /** The types its handlers may `ctx.emit`. */
  readonly customEvents?: readonly string[];
  readonly defaults?: Partial<Options>;
  /** The names of all its options. When they are given, any other is refused. */
  readonly options?: readonly (keyof Options & string)[];
  build(blueprint: Blueprint, options: Options): void;
}

/** A strategy that was given its options; `app.include` takes it. */
export interface Strategy extends StrategyInfo {
  readonly [blueprintSymbol]: BlueprintParts;
}

/** Makes a factory of strategies. Contract: a handler outside `hooks` is `undeclared-hook`, at the call. */
export function defineStrategy<Options extends object = Record<never, never>>(
  definition: StrategyDefinition<Options>,
): (options?: Partial<Options>) => Strategy {
  const { name, version, description, hooks, onFailure, customEvents = [], defaults, build } = definition;
  checkOptions({ ...definition, build: build ?? null }, strategyOptions, `strategy ${name}`);
  return (options = {}) => {
    const unknown = Object.keys(options).find((one) => definition.options?.includes(one as never) === false);
    if (unknown !== undefined) {
      const message = `The option "${unknown}" of strategy ${name} is unknown; the options are ${definition.options?.join(", ")}.`;
      throw wrong("bad-option", message, { name: unknown, of: name });
    }
    const plan = blueprint(name);
    const said: unknown = build(plan, { ...defaults, ...withoutUndefined(options) } as Options);
    if (said instanceof Promise) {
      const message = `The build of strategy ${name} is asynchronous, so handlers that it registers later would never run. Register them at once, and wait inside a handler.`;
      throw wrong("bad-registration", message, { name });
    }
    const built = partsOf(plan);
    // A handler that is registered from now on, by a timer or a promise, would be in no app.
    Object.freeze(built?.registrations);
    const registrations = (built?.registrations ?? []).map((one) => ({
      ...one,
      onFailure: one.onFailure ?? onFailure,
      customEvents,
    }));
    const undeclared = registrations.flatMap(idsOf).filter((id) => !isDeclared(id, hooks));
    if (undeclared.length > 0) {
      const message = `Strategy ${name} registers ${undeclared.join(", ")} but declares only ${hooks.join(", ")}.`;
      throw wrong("undeclared-hook", message, { name, undeclared, hooks });
    }
    const info = { name, version, ...(description === undefined ? {} : { description }), hooks };
    const parts = {
      name,
      registrations,
      middleware: built?.middleware ?? [],
      tasks: built?.tasks ?? new Map(),
      strategy: info,
    };
    return Object.freeze({ ...info, [blueprintSymbol]: parts });
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

/** An option that is given as undefined has its default. */
function withoutUndefined(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** `PreToolUse:Bash` for each name a handler is meant for, `Stop` or `PreToolUse:*` for all. */
export function idsOf({ event, what }: Registration): readonly string[] {
  return what === undefined ? [event] : what.map((name) => `${event}:${name}`);
}

/** `PreToolUse` and `PreToolUse:*` declare all of the event. */
function isDeclared(id: string, hooks: readonly string[]): boolean {
  const event = id.split(":", 1)[0] ?? id;
  return hooks.some((hook) => hook === id || hook === event || hook === `${event}:*`);
}
