const mark = "[redacted]";

/** A copy of a value in which no text, key of an object included, holds a secret or the credentials of a URL. */
export function blackedOut<T>(value: T, secrets: readonly string[]): T {
  return copyOf(value, eraser(secrets), new Map(), 0) as T;
}

type Erase = (text: string) => string;

const erasers = new WeakMap<readonly string[], Erase>();

/** One expression for all secrets, made once per list: what was put in a secret's place is never looked at again. */
function eraser(secrets: readonly string[]): Erase {
  const known = erasers.get(secrets);
  if (known !== undefined) return known;
  const longestFirst = secrets.filter((secret) => secret !== "").sort((a, b) => b.length - a.length);
  const expression = new RegExp([urlCredentials, ...longestFirst.map(quoted)].join("|"), "g");
  const erase: Erase = (text) => text.replace(expression, mark);
  erasers.set(secrets, erase);
  return erase;
}

/** From `://` to the last `@` before the path; the slashes may be escaped as JSON allows. */
const urlCredentials = '(?<=:(?://|\\\\/\\\\/))[^\\s/?#"\\\\]+(?=@)';

function quoted(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** A callback's answer may be nested without end or hold itself: each object is copied once, and what lies deeper is not shown. */
const mostDepth = 50;

function copyOf(value: unknown, erase: Erase, copies: Map<object, unknown>, depth: number): unknown {
  if (typeof value === "string") return erase(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === mostDepth) return mark;
  if (copies.has(value)) return copies.get(value);
  const copy: unknown[] | Record<string, unknown> = Array.isArray(value) ? [] : {};
  copies.set(value, copy);
  for (const [key, inner] of Object.entries(value)) {
    // Defined, not assigned: a key named __proto__ stays a key.
    const made = {
      value: copyOf(inner, erase, copies, depth + 1),
      enumerable: true,
      writable: true,
      configurable: true,
    };
    Object.defineProperty(copy, erase(key), made);
  }
  return copy;
}
