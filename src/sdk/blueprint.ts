import type { EventName } from "../protocol/index.ts";
import type { Context } from "./context.ts";
import { wrong } from "./problem.ts";
import { type Middleware, type Register, type RegisterAny, type Registration, register } from "./registration.ts";
import { type MethodOf, rules } from "./rules.ts";

/** A method per event of the catalog, `on` for any other, and `use`. */
export type Registers<Self, Ctx> = {
  readonly [Name in EventName as MethodOf<Name>]: Register<Name, Self, Ctx>;
} & {
  readonly on: RegisterAny<Self, Ctx>;
  /** Wraps the handlers; the first registered is outermost. */
  use(middleware: Middleware<Ctx>): Self;
};

/** Handlers that belong together, to be included in an app. */
export type Blueprint<Ctx = Context> = Registers<BlueprintOf<Ctx>, Ctx> & BlueprintOf<Ctx>;

interface BlueprintOf<Ctx> extends Registers<Blueprint<Ctx>, Ctx> {
  readonly name: string | undefined;
}

/** What a blueprint holds; apps read it by this symbol, so that copies of the package understand each other. */
export const blueprintSymbol: unique symbol = Symbol.for("hookline.blueprint") as never;

export interface BlueprintParts {
  readonly name: string | undefined;
  readonly registrations: readonly Registration[];
  readonly middleware: readonly Middleware[];
  /** Set for strategies. */
  readonly strategy?: StrategyInfo;
}

export interface StrategyInfo {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly hooks: readonly string[];
}

/** A new, empty blueprint. With a name, its handlers' state keys are prefixed with it. */
export function blueprint(name?: string): Blueprint {
  const parts = { name, registrations: [] as Registration[], middleware: [] as Middleware[] };
  const made = { name, [blueprintSymbol]: parts };
  addMethods(made, parts.registrations, parts.middleware);
  return made as unknown as Blueprint;
}

/** Puts the registration methods on an app or a blueprint; each returns it, so calls chain. */
export function addMethods(target: object, registrations: Registration[], middleware: Middleware[]): void {
  const add = (event: string, args: readonly unknown[], general: boolean) => {
    const position = registrations.filter((one) => one.event === event).length + 1;
    registrations.push(register(event, args, general, position));
    return target;
  };
  const methods: Record<string, unknown> = {};
  for (const [event, { method }] of Object.entries(rules)) {
    methods[method] = (...args: unknown[]) => add(event, args, false);
  }
  methods["on"] = (event: unknown, ...args: unknown[]) => {
    if (typeof event === "string" && event !== "") return add(event, args, true);
    throw wrong("no-event", 'on(name, …) needs the name of an event, such as "Stop".');
  };
  methods["use"] = (fn: unknown) => {
    if (typeof fn !== "function") throw wrong("no-handler", "use(middleware) needs a function.");
    middleware.push(fn as Middleware);
    return target;
  };
  Object.assign(target, methods);
}

export function partsOf(value: unknown): BlueprintParts | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as { [blueprintSymbol]?: BlueprintParts })[blueprintSymbol];
}
