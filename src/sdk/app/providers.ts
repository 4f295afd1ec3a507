import { eventRule } from "../answer/event-rules.ts";
import { sdkProblem } from "./argument-checks.ts";
import { lazy } from "./context.ts";
import type { HookEvent } from "./hook-event.ts";

export type ProviderScope = "event" | "session" | "process";

export interface ProviderOptions<Value> {
  /** How long one value lives. Default: `event`. */
  readonly scope?: ProviderScope;
  /** Called when the value's scope ends; for `event`, after the answer is written. */
  readonly dispose?: (value: Awaited<Value>) => unknown;
}

interface Provider {
  readonly factory: (ctx: never, event: HookEvent) => unknown;
  readonly scope: ProviderScope;
  readonly dispose: ((value: never) => unknown) | undefined;
}

/** Values in place of what a factory would make. */
export type Overrides = Readonly<Record<string, unknown>>;

type OpenContext = (name: string) => object;

/** An app's own members of the context. */
export interface Providers {
  add(name: string, provider: Provider): void;
  /** Puts a getter per provider on the context; `override` holds values that take the place of factories, `open` gives a factory its context. */
  attach(context: object, event: HookEvent, override: Overrides, open: OpenContext): void;
  /** Ends the values of one event, and those of its session when that is what the event tells. */
  disposeEvent(event: HookEvent): Promise<void>;
  /** Ends every value that is left. */
  disposeAll(): Promise<void>;
}

const taken = new Set("transcript state tasks git cwd projectDir path env exportEnv log signal emit replay".split(" "));

export function openProviders(): Providers {
  const providers = new Map<string, Provider>();
  const ofProcess: Values = new Map();
  const ofSessions = new Map<string, Values>();
  const ofEvents = new WeakMap<HookEvent["raw"], Values>();

  const valuesOf = (scope: ProviderScope, event: HookEvent): Values => {
    if (scope === "process") return ofProcess;
    if (scope === "session") return valuesIn(ofSessions, event.sessionId ?? "");
    return valuesIn(ofEvents, event.raw);
  };

  /** `asking` are the factories on the way to this one. */
  const make = (
    name: string,
    provider: Provider,
    event: HookEvent,
    override: Overrides,
    open: OpenContext,
    asking: readonly string[],
  ) => {
    if (asking.includes(name)) {
      const ring = [...asking, name].join(" → ");
      throw sdkProblem("provider-cycle", `Providers ask for each other in a ring: ${ring}.`, { name, asking });
    }
    const values = valuesOf(provider.scope, event);
    if (values.has(name)) return values.get(name);
    const view = open(name);
    attach(view, event, override, open, [...asking, name]);
    const value = provider.factory(view as never, event);
    values.set(name, value);
    return value;
  };

  const attach = (
    context: object,
    event: HookEvent,
    override: Overrides,
    open: OpenContext,
    asking: readonly string[] = [],
  ) => {
    const getters = [...providers].map(([name, provider]) => [
      name,
      () => (Object.hasOwn(override, name) ? override[name] : make(name, provider, event, override, open, asking)),
    ]);
    lazy(context, Object.fromEntries(getters));
  };

  /** Contract: every value is disposed, even if another one fails; then the first failure is thrown. */
  const disposeOf = async (made: readonly (readonly [name: string, value: unknown])[]): Promise<void> => {
    const failures: unknown[] = [];
    for (const [name, value] of made) {
      const { dispose } = providers.get(name) ?? {};
      if (dispose === undefined) continue;
      try {
        await soon(
          Promise.resolve(value).then((made) => dispose(made as never)),
          name,
        );
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  };

  return {
    add(name, provider) {
      if (taken.has(name) || providers.has(name)) {
        throw sdkProblem("name-taken", `ctx.${name} exists already. Choose another name for the provider.`, { name });
      }
      providers.set(name, provider);
    },
    attach: (context, event, override, open) => attach(context, event, override, open),
    async disposeEvent(event) {
      const session = eventRule(event.name).endsSession ? valuesIn(ofSessions, event.sessionId ?? "") : undefined;
      if (session) ofSessions.delete(event.sessionId ?? "");
      await disposeOf([...takeAll(valuesIn(ofEvents, event.raw)), ...takeAll(session)]);
    },
    disposeAll: () => disposeOf([...[...ofSessions.values()].flatMap(takeAll), ...takeAll(ofProcess)]),
  };
}

/** By the provider's name, in the order in which they were made. */
type Values = Map<string, unknown>;

function valuesIn<Key>(
  scopes: { get(key: Key): Values | undefined; set(key: Key, values: Values): unknown },
  key: Key,
) {
  const values: Values = scopes.get(key) ?? new Map();
  scopes.set(key, values);
  return values;
}

/** The last one first: a value may use those that were made before it. */
function takeAll(values: Values = new Map()): readonly (readonly [string, unknown])[] {
  const made = [...values].reverse();
  values.clear();
  return made;
}

const disposeMs = 2_000;

/** The answer is out; a value that does not end must not keep the process. */
function soon(work: Promise<unknown>, name: string): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`ctx.${name} did not end within ${disposeMs / 1000} s`)), disposeMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
