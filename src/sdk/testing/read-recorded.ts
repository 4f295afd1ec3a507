import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { WirePayload } from "../app/hook-event.ts";

/** The payloads that `--record DIR` kept, by event, in the order in which they came. A line that was cut short is left out. */
export async function readRecorded(folder: string): Promise<Readonly<Record<string, readonly WirePayload[]>>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".jsonl")).sort();
  const all = names.map(async (name) => {
    const lines = (await readFile(join(folder, name), "utf8")).split("\n");
    return [name.slice(0, -".jsonl".length), lines.flatMap(payloadIn)] as const;
  });
  return Object.fromEntries(await Promise.all(all));
}

function payloadIn(line: string): readonly WirePayload[] {
  if (line === "") return [];
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? [value as WirePayload] : [];
  } catch {
    return []; // the process that wrote it was killed
  }
}
