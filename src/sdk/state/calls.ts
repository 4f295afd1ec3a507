import { AsyncLocalStorage } from "node:async_hooks";
import { jsonText } from "../json-value.ts";
import { wrong } from "../problem.ts";
import type { Entries, Scope, State } from "./state.ts";

/** Scopes that the code running now is updating; a second update inside would wait for itself. */
const updating = new AsyncLocalStorage<ReadonlySet<string>>();

export function stateCalls({ name, prefix, defaults, now, open }: Scope): State {
  const store = open();
  const fresh = (entries: Entries): Entries => {
    for (const [key, { until }] of entries) if (until !== undefined && until <= now()) entries.delete(key);
    return entries;
  };
  const valueFor = (entries: Entries, key: string): unknown => {
    const entry = fresh(entries).get(prefix + key);
    if (entry !== undefined) return entry.value;
    return Object.hasOwn(defaults, key) ? structuredClone(defaults[key]) : undefined;
  };
  const own = (entries: Entries): readonly string[] =>
    [...fresh(entries).keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
  const put = (entries: Entries, key: string, value: unknown, ttlMs: number | undefined) =>
    entries.set(prefix + key, { value: asJson(value, key), ...(ttlMs === undefined ? {} : { until: now() + ttlMs }) });

  return {
    get: async (key) => valueFor(await store.read(), key) as never,
    async set(key, value, options) {
      // Before the lock is taken: a value that cannot be kept is no reason to wait.
      asJson(value, key);
      await store.change((entries) => void put(entries, key, value, options?.ttlMs));
    },
    async update(key, change, options) {
      const busy = updating.getStore() ?? new Set<string>();
      if (busy.has(name)) throw nested(key);
      return updating.run(new Set([...busy, name]), () =>
        store.change(async (entries) => {
          const value: unknown = await change(valueFor(entries, key) as never);
          put(entries, key, value, options?.ttlMs);
          return value as never;
        }),
      );
    },
    delete: (key) => store.change((entries) => fresh(entries).delete(prefix + key)),
    has: async (key) => fresh(await store.read()).has(prefix + key),
    keys: async () => own(await store.read()),
    all: async () => {
      const entries = await store.read();
      const known = [...new Set([...Object.keys(defaults), ...own(entries)])];
      return Object.fromEntries(known.map((key) => [key, valueFor(entries, key)]));
    },
    clear: () =>
      store.change((entries) => {
        for (const key of own(entries)) entries.delete(prefix + key);
      }),
  };
}

function nested(key: string): Error {
  const message = `update("${key}") was called inside another update of the same scope, which would wait for itself. Call it before or after.`;
  return wrong("state-nested", message, { key });
}

/** Contract: what comes back is what was put in; a function, a BigInt or a ring is refused, not lost. */
function asJson(value: unknown, key: string): unknown {
  const refused = (why: string, cause: unknown) =>
    wrong("state-not-json", `The value for "${key}" is no JSON: ${why}`, { key }, cause);
  return JSON.parse(jsonText(value, refused)) as unknown;
}
