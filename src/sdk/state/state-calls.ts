import { AsyncLocalStorage } from "node:async_hooks";
import { unlessAborted } from "../../protocol/internal.ts";
import { checkOptions, describeType, sdkProblem, toJsonOrThrow } from "../app/argument-checks.ts";
import { isPromise } from "../run/handler-deadline.ts";
import type { Scope, State, StoredValues } from "./state.ts";

/** Scopes that the code running now is updating; a second change inside would wait for itself. */
const updating = new AsyncLocalStorage<ReadonlySet<string>>();
const busy = (): ReadonlySet<string> => updating.getStore() ?? new Set();

export function stateCalls({ name, space, handler, defaults, now, open }: Scope): State {
  const store = open();
  const { toStored, fromStored } = keysOf(space);
  const dropExpired = (entries: StoredValues): StoredValues => {
    for (const [key, { until }] of entries) if (until !== undefined && until <= now()) entries.delete(key);
    return entries;
  };
  const valueFor = (entries: StoredValues, key: string): unknown => {
    const entry = dropExpired(entries).get(toStored(key));
    if (entry !== undefined) return entry.value;
    return Object.hasOwn(defaults, key) ? structuredClone(defaults[key]) : undefined;
  };
  const ownIn = (entries: StoredValues): readonly string[] =>
    [...dropExpired(entries).keys()].map(fromStored).filter((key) => key !== undefined);
  /** JSON has no Infinity, so a key that never expires has no end. */
  const put = (entries: StoredValues, key: string, value: unknown, until = Number.POSITIVE_INFINITY) =>
    entries.set(toStored(key), { value: asJson(value, key), ...(until === Number.POSITIVE_INFINITY ? {} : { until }) });
  const endOf = (options: { ttlMs?: number } = {}): number | undefined => {
    checkOptions(options, ["ttlMs"], "a value of state");
    return options.ttlMs === undefined ? undefined : now() + options.ttlMs;
  };

  const write = async <Result>(
    call: string,
    work: (entries: StoredValues) => Result | Promise<Result>,
  ): Promise<Result> => {
    if (!busy().has(name)) return store.change(work);
    const message = `${call}() was called inside an update of the same scope, which would wait for itself. Call it before or after.`;
    throw sdkProblem("state-nested", message, { call });
  };

  return {
    get: async (key) => valueFor(await store.read(), key) as never,
    async set(key, value, options) {
      // Before the lock is taken: an invalid value fails without a wait.
      asJson(value, key);
      await write("set", (entries) => void put(entries, key, value, endOf(options)));
    },
    update: async (key, change, options) => {
      if (typeof change !== "function") {
        const message = `state.update("${key}") needs a function that returns the new value, not ${describeType(change)}.`;
        throw sdkProblem("bad-option", message, { key });
      }
      return write("update", (entries) =>
        updating.run(new Set([...busy(), name]), async () => {
          const next: unknown = change(valueFor(entries, key) as never);
          // A handler past its deadline must not hold the lock: in a long-running process no other handler would get it.
          const value = isPromise(next) ? await unlessAborted(next, handler?.signal) : next;
          // A new value does not extend the life of its key.
          put(entries, key, value, endOf(options) ?? entries.get(toStored(key))?.until);
          return value as never;
        }),
      );
    },
    delete: (key) => write("delete", (entries) => dropExpired(entries).delete(toStored(key))),
    has: async (key) => dropExpired(await store.read()).has(toStored(key)),
    keys: async () => ownIn(await store.read()),
    all: async () => {
      const entries = await store.read();
      const known = [...new Set([...Object.keys(defaults), ...ownIn(entries)])];
      return Object.fromEntries(known.map((key) => [key, valueFor(entries, key)]));
    },
    clear: () =>
      write("clear", (entries) => {
        for (const key of ownIn(entries)) entries.delete(toStored(key));
      }),
  };
}

/**
 * The name under which a key is kept, and the key that is kept under a name; undefined for a key of another part.
 * A part's keys are kept behind its name, `/part/key`; a key of the app that begins with a slash gets one more.
 */
function keysOf(space: string | undefined) {
  if (!space) {
    return {
      toStored: (key: string) => (key.startsWith("/") ? `/${key}` : key),
      fromStored: (name: string) => (name.startsWith("//") ? name.slice(1) : name.startsWith("/") ? undefined : name),
    };
  }
  const prefix = `/${encodeURIComponent(space)}/`;
  return {
    toStored: (key: string) => prefix + key,
    fromStored: (name: string) => (name.startsWith(prefix) ? name.slice(prefix.length) : undefined),
  };
}

/** Contract: what comes back is what was put in, or it is refused. */
function asJson(value: unknown, key: string): unknown {
  const refused = (why: string, cause: unknown) =>
    sdkProblem("state-not-json", `The value for "${key}" is not valid JSON: ${why}`, { key }, cause);
  return JSON.parse(toJsonOrThrow(value, refused)) as unknown;
}
