import { messageOf } from "../../protocol/index.ts";

/**
 * The text of a value as JSON; `null` for nothing. Contract: what would be lost on the way is refused: a function, a symbol, a Map, a
 * Set, a BigInt, a ring.
 */
export function jsonText(value: unknown, refused: (why: string, cause: unknown) => Error): string {
  try {
    return JSON.stringify(value, refuseLost) ?? "null";
  } catch (cause) {
    throw refused(messageOf(cause).split("\n")[0] ?? "", cause);
  }
}

function refuseLost(_key: string, value: unknown): unknown {
  if (typeof value === "function" || typeof value === "symbol") throw new TypeError(`a ${typeof value} cannot be kept`);
  if (value instanceof Map || value instanceof Set) throw new TypeError(`a ${value.constructor.name} cannot be kept`);
  return value;
}
