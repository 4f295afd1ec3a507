import { lineOf } from "./process-family.ts";
import { processes } from "./process-list.ts";

/** A living process that carries a tag: left by somebody who could not end it any more. */
export interface Leftover {
  readonly pid: number;
  readonly name: string;
  /** The value of the tag, which says whose it is. */
  readonly value: string;
  readonly startedAt: string;
}

/**
 * Living processes whose tag begins with `valuePrefix`, this one and its ancestors apart. Linux only; elsewhere nothing is found.
 * A process that a normal end left alive carries its tag too: whose end was normal only the caller can know.
 */
export async function findLeftovers(tagName: string, valuePrefix: string): Promise<Leftover[]> {
  const rows = await processes.list(tagName);
  const own = lineOf(process.pid, rows);
  return rows.flatMap(({ pid, name, tag, startedAt }) =>
    tag?.startsWith(valuePrefix) && !own.has(pid) ? [{ pid, name, value: tag, startedAt }] : [],
  );
}

/** Kills leftovers, each only if it is still the process that was found. Returns those that did not go. */
export function endLeftovers(found: readonly Leftover[]): Leftover[] {
  return found.filter((one) => processes.isAlive(one) && processes.signal(one.pid, "SIGKILL") === "not-permitted");
}
