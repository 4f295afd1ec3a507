/** Values nested deeper than this are cut: what walks through an entry, printing included, has a stack that ends. */
export const deepest = 1000;

const stand = `[nested deeper than ${deepest} levels]`;

/** Replaces, in place, what lies deeper than `left` levels below `value` by a text that says so; true when something did. */
export function cutDeep(value: object, left: number = deepest): boolean {
  let cut = false;
  for (const key of Object.keys(value)) {
    const inner: unknown = (value as Record<string, unknown>)[key];
    if (typeof inner !== "object" || inner === null) continue;
    if (left > 1) cut = cutDeep(inner, left - 1) || cut;
    else {
      Object.defineProperty(value, key, { value: stand, enumerable: true, configurable: true, writable: true });
      cut = true;
    }
  }
  return cut;
}
