import { lazy } from "./context.ts";
import type { HookEvent } from "./event.ts";
import { wrong } from "./problem.ts";
import { ruleOf } from "./rules.ts";

export type ProviderScope = "event" | "session" | "process";

export interface ProviderOptions<Value> {
  /** How long one value lives; `event` unless told. */
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
  const wide = new Map<string, unknown>();
  const narrow = new WeakMap<HookEvent["raw"], Map<string, unknown>>();

  const valuesOf = (scope: ProviderScope, event: HookEvent): [Map<string, unknown>, prefix: string] => {
    if (scope === "process") return [wide, "process/"];
    if (scope === "session") return [wide, `session/${event.sessionId ?? ""}/`];
    const values = narrow.get(event.raw) ?? new Map<string, unknown>();
    narrow.set(event.raw, values);
    return [values, ""];
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
      throw wrong("provider-cycle", `Providers ask for each other in a ring: ${ring}.`, { name, asking });
    }
    const [values, prefix] = valuesOf(provider.scope, event);
    const key = `${prefix}${name}`;
    if (values.has(key)) return values.get(key);
    const view = open(name);
    attach(view, event, override, open, [...asking, name]);
    const value = provider.factory(view as never, event);
    values.set(key, value);
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

  /** Contract: every value under the prefix is ended, though another one's end fails; the first failure is told then. */
  const disposeOf = async (values: Map<string, unknown>, prefix: string): Promise<void> => {
    const failures: unknown[] = [];
    for (const [key, value] of [...values].filter(([key]) => key.startsWith(prefix))) {
      values.delete(key);
      const name = key.slice(key.lastIndexOf("/") + 1);
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
        throw wrong("name-taken", `ctx.${name} exists already. Choose another name for the provider.`, { name });
      }
      providers.set(name, provider);
    },
    attach: (context, event, override, open) => attach(context, event, override, open),
    async disposeEvent(event) {
      const values = narrow.get(event.raw) ?? new Map<string, unknown>();
      narrow.delete(event.raw);
      await disposeOf(values, "");
      if (ruleOf(event.name).endsSession) await disposeOf(wide, `session/${event.sessionId ?? ""}/`);
    },
    disposeAll: () => disposeOf(wide, ""),
  };
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
