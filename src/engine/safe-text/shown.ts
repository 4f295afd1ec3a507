import { messageOf } from "../../protocol/index.ts";

/** A value as a message shows it, cut to a few words. Contract: never throws, whatever a program hands over. */
export function shown(value: unknown): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") return `a ${typeof value}`;
  const text = written(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function written(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch (error) {
    // A circle, a BigInt inside, or a getter that throws.
    return `a value that cannot be written as JSON (${messageOf(error).split("\n")[0]})`;
  }
}
