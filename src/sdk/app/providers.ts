import { eventRule } from "../answer/event-rules.ts";
import { withTimeout } from "../run/handler-deadline.ts";
import { sdkProblem } from "./argument-checks.ts";
import type { HookEvent } from "./hook-event.ts";

export type ProviderScope = "event" | "session" | "process";

/** Options of `app.provide`. */
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

/** Values that replace those of factories. */
export type Overrides = Readonly<Record<string, unknown>>;

type OpenContext = (name: string) => object;

export type Providers = ReturnType<typeof openProviders>;

const reservedNames = new Set(
  "transcript state tasks git cwd projectDir path env exportEnv log signal emit replay".split(" "),
);

/** An app's own members of the context. */
export function openProviders() {
  const providers = new Map<string, Provider>();
  const ofProcess: Values = new Map();
  const ofSessions = new Map<string, Values>();
  const ofEvents = new WeakMap<HookEvent["raw"], Values>();

  const valuesOf = (scope: ProviderScope, event: HookEvent): Values => {
    if (scope === "process") return ofProcess;
    if (scope === "session") return valuesIn(ofSessions, event.sessionId ?? "");
    return valuesIn(ofEvents, event.raw);
  };

  /**
   * Adds a getter per provider to the context. Values in `override` replace factories; `open` creates the context of a factory. `callers`
   * are the providers whose factories led to this context.
   */
  const attach = (
    context: object,
    event: HookEvent,
    override: Overrides,
    open: OpenContext,
    callers: readonly string[] = [],
  ): void => {
    const provided = (name: string, { scope, factory }: Provider): unknown => {
      if (Object.hasOwn(override, name)) return override[name];
      if (callers.includes(name)) {
        const message = `Providers depend on each other in a cycle: ${[...callers, name].join(" → ")}.`;
        throw sdkProblem("provider-cycle", message, { name, asking: callers });
      }
      const values = valuesOf(scope, event);
      if (!values.has(name)) {
        const view = open(name);
        attach(view, event, override, open, [...callers, name]);
        values.set(name, factory(view as never, event));
      }
      return values.get(name);
    };
    for (const [name, provider] of providers) {
      const get = () => {
        const value = provided(name, provider);
        Object.defineProperty(context, name, { value, enumerable: true });
        return value;
      };
      Object.defineProperty(context, name, { enumerable: true, configurable: true, get });
    }
  };

  /** Contract: every value is disposed, even if another one fails; then the first failure is thrown. */
  const disposeValues = async (values: readonly (readonly [name: string, value: unknown])[]): Promise<void> => {
    const failures: unknown[] = [];
    for (const [name, value] of values) {
      const { dispose } = providers.get(name) ?? {};
      if (dispose === undefined) continue;
      const disposed = Promise.resolve(value).then((resolved) => dispose(resolved as never));
      try {
        // The answer is written by now. A dispose function that hangs must not keep the process alive.
        await withTimeout(disposed, disposeMs, () => {
          throw new Error(`ctx.${name} did not end within ${disposeMs / 1000} s`);
        });
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  };

  return {
    add(name: string, provider: Provider): void {
      if (reservedNames.has(name) || providers.has(name)) {
        throw sdkProblem("name-taken", `ctx.${name} exists already. Choose another name for the provider.`, { name });
      }
      providers.set(name, provider);
    },
    /** The members of the context: its own, then those of the providers. */
    contextNames: (): readonly string[] => [...reservedNames, ...providers.keys()],
    attach,
    /** Disposes the values of one event, and those of its session if the event ends it. */
    async disposeEvent(event: HookEvent): Promise<void> {
      const session = eventRule(event.name).endsSession ? valuesIn(ofSessions, event.sessionId ?? "") : undefined;
      if (session) ofSessions.delete(event.sessionId ?? "");
      await disposeValues([...takeAll(valuesIn(ofEvents, event.raw)), ...takeAll(session)]);
    },
    /** Disposes all remaining values. */
    disposeAll: (): Promise<void> =>
      disposeValues([...[...ofSessions.values()].flatMap(takeAll), ...takeAll(ofProcess)]),
  };
}

/** By the provider's name, in the order of creation. */
type Values = Map<string, unknown>;

function valuesIn<Key>(
  scopes: { get(key: Key): Values | undefined; set(key: Key, values: Values): unknown },
  key: Key,
) {
  const values: Values = scopes.get(key) ?? new Map();
  scopes.set(key, values);
  return values;
}

/** Empties the map. The newest value comes first: a value may use those created before it. */
function takeAll(values: Values = new Map()): readonly (readonly [string, unknown])[] {
  const entries = [...values].reverse();
  values.clear();
  return entries;
}

const disposeMs = 2_000;
