/** The text of a value as JSON; `null` for nothing. Contract: a function, a symbol, a BigInt or a ring is refused, not lost. */
export function jsonText(value: unknown, refused: (why: string, cause: unknown) => Error): string {
  try {
    return JSON.stringify(value, refuseFunctions) ?? "null";
  } catch (cause) {
    throw refused(cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : String(cause), cause);
  }
}

function refuseFunctions(_key: string, value: unknown): unknown {
  if (typeof value === "function" || typeof value === "symbol") throw new TypeError(`a ${typeof value} cannot be kept`);
  return value;
}
