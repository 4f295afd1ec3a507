import { setTimeout as pause } from "node:timers/promises";
import { isObject } from "../../protocol/index.ts";
import { readIfThere } from "./read-if-there.ts";

/** A small JSON object from a folder that other programs write. Gone or half written is not an error: then it is undefined. */
export async function readJsonObject(path: string): Promise<Record<string, unknown> | undefined> {
  const first = await attempt(path);
  if (first !== "half") return first;
  // A writer was in the middle of it; a moment later it is whole, or it is not ours to understand.
  await pause(5);
  const second = await attempt(path);
  return second === "half" ? undefined : second;
}

/** The fields of what may be an object; none of what is not. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

async function attempt(path: string): Promise<Record<string, unknown> | "half" | undefined> {
  const bytes = await readIfThere(path);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return isObject(value) ? value : undefined;
  } catch {
    return "half"; // no JSON, or not yet
  }
}
