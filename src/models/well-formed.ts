/**
 * A value without halves of surrogate pairs in its texts: each becomes the replacement character. A text that is cut in the middle of
 * an emoji holds such a half, and the APIs refuse a request with one, as well as every later request of the same conversation. A value
 * that needs no change is given back as it is.
 */
export function wellFormed<Value>(value: Value): Value {
  return isWellFormed(value) ? value : (repaired(value) as Value);
}

/** Every request holds the whole conversation, so nothing is made for a value that needs no change. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  for (const key of Object.keys(value)) {
    if (!key.isWellFormed() || !isWellFormed((value as Readonly<Record<string, unknown>>)[key])) return false;
  }
  return true;
}

function repaired(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(repaired);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), repaired(item)]));
}
