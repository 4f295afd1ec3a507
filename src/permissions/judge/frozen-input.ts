import type { ToolInput } from "../../protocol/index.ts";

/**
 * A copy of an input that nobody can change any more: what was judged is what runs. What no JSON could hold is
 * left out; an object that stands in several places, or in itself, is copied once.
 */
export function frozenInput(input: unknown): ToolInput {
  const copy = copied(input, new Map(), 0);
  return copy !== null && typeof copy === "object" && !Array.isArray(copy) ? (copy as ToolInput) : Object.freeze({});
}

const deepest = 1_000;

function copied(value: unknown, seen: Map<object, unknown>, depth: number): unknown {
  if (typeof value === "function" || typeof value === "symbol") return undefined;
  if (value === null || typeof value !== "object") return value;
  if (seen.has(value)) return seen.get(value);
  if (depth > deepest) return null;
  const copy: object = Array.isArray(value) ? [] : {};
  seen.set(value, copy);
  for (const [key, inner] of Object.entries(value)) {
    // Defined, not assigned: `__proto__` is a name like any other.
    Object.defineProperty(copy, key, { value: copied(inner, seen, depth + 1), enumerable: true });
  }
  return Object.freeze(copy);
}
