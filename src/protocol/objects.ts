/** Whether a value is an object with keys: not null and not a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a JSON text; undefined when the text is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** What `work` returns; undefined when it throws. For reads whose failure means that there is nothing to read. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Whether `work` returns; false when it throws. For checks of Node that report by an error. */
export function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

/** Makes a value on first use and keeps it. */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Makes the value of each key on first use and keeps it. */
export function memoized<K, V>(make: (key: K) => V): (key: K) => V {
  const values = new Map<K, V>();
  return (key) => {
    if (!values.has(key)) values.set(key, make(key));
    return values.get(key) as V;
  };
}

/** An object whose methods load their implementation when they are called. */
export function deferMethods<Api extends object>(
  names: readonly (keyof Api & string)[],
  load: () => Promise<Api>,
): Api {
  type Methods = Readonly<Record<string, (...args: unknown[]) => unknown>>;
  const methods = names.map((name) => [
    name,
    // Async: a call that fails and is not awaited is still a rejection of its own.
    async (...args: unknown[]) => ((await load()) as unknown as Methods)[name]?.(...args),
  ]);
  return Object.fromEntries(methods) as Api;
}

/** Rejects when the signal is aborted. The work itself continues. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** The object that a JSON text holds; undefined when it holds anything else or is not valid JSON. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/** A field of what may be an object. */
export function fieldOf(value: unknown, key: string): unknown {
  return isObject(value) ? value[key] : undefined;
}

/** The same for a text: undefined when the field holds anything else. */
export function textField(value: unknown, key: string): string | undefined {
  const field = fieldOf(value, key);
  return typeof field === "string" ? field : undefined;
}

/** The strings in what may be a list. */
export function stringsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
}

export function isStringList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

export function isStringRecord(value: unknown): value is Record<string, string> {
  return isObject(value) && isStringList(Object.values(value));
}

/** The same object without the keys whose value is undefined, as `exactOptionalPropertyTypes` wants optional fields. */
export function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** One value under each of these keys. */
export function each<const Value, Key extends string>(
  value: Value,
  ...keys: readonly Key[]
): Readonly<Record<Key, Value>> {
  return Object.fromEntries(keys.map((key) => [key, value])) as Record<Key, Value>;
}

/** Items in groups that share a key, in the order of their first item. */
export function groupBy<K, V>(items: Iterable<V>, keyOf: (item: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
