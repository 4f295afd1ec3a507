import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type HomeSource, statePath, unless } from "../../files/internal.ts";

/** A handler that keeps the agent waiting. */
export interface SlowHandler {
  readonly name: string;
  readonly calls: number;
  /** Of its calls in the log, the slowest twentieth, and at least one, took this long or longer. */
  readonly slowMs: number;
}

const tooSlowMs = 1_000;
const fewest = 5;

/** Handlers whose slowest calls take over a second, by the newest file of the hook log; the slowest first. */
export async function slowHandlers(home: HomeSource): Promise<readonly SlowHandler[]> {
  const text = (await unless(["ENOENT"], readFile(join(statePath(home), "log", "hooks.jsonl"), "utf8"))) ?? "";
  const times = new Map<string, number[]>();
  for (const { name, ms } of text.split("\n").flatMap(handlersIn)) times.set(name, [...(times.get(name) ?? []), ms]);
  return [...times]
    .filter(([, all]) => all.length >= fewest)
    .map(([name, all]) => ({ name, calls: all.length, slowMs: percentile(all) }))
    .filter(({ slowMs }) => slowMs > tooSlowMs)
    .sort((a, b) => b.slowMs - a.slowMs);
}

function handlersIn(line: string): readonly { readonly name: string; readonly ms: number }[] {
  try {
    const { handlers } = JSON.parse(line) as { handlers?: unknown };
    if (!Array.isArray(handlers)) return [];
    return handlers.filter((one) => typeof one?.name === "string" && typeof one.ms === "number");
  } catch {
    return []; // the last line of a file may be half written
  }
}

function percentile(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return Math.round(sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0);
}
