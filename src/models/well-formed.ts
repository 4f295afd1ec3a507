/**
 * A value without halves of surrogate pairs in its texts: each becomes the replacement character. A text that is cut in the middle of
 * an emoji holds such a half, and the APIs refuse a request with one, as well as every later request of the same conversation. A value
 * that needs no change is given back as it is.
 */
export function wellFormed<Value>(value: Value): Value {
  if (typeof value === "string") return (half.test(value) ? value.replace(halves, "\ufffd") : value) as Value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(wellFormed);
    return items.every((item, at) => item === value[at]) ? value : (items as Value);
  }
  const entries = Object.entries(value).map(([key, item]) => [wellFormed(key), wellFormed(item)] as const);
  const same = entries.every(([key, item]) => item === (value as Readonly<Record<string, unknown>>)[key]);
  return same ? value : (Object.fromEntries(entries) as Value);
}

// With the flag u a pair is one character, so that only halves match.
const half = /[\ud800-\udfff]/u;
const halves = /[\ud800-\udfff]/gu;
