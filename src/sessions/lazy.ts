export { lazy } from "../protocol/internal.ts";

/** Makes the value of each key on first use and keeps it. */
export function memoized<K, V>(make: (key: K) => V): (key: K) => V {
  const values = new Map<K, V>();
  return (key) => {
    if (!values.has(key)) values.set(key, make(key));
    return values.get(key) as V;
  };
}
