import { messageOf, type Warning } from "../../protocol/index.ts";
import { duration, type Limit, type Waited } from "./run-limits.ts";
import type { Ran } from "./runner-result.ts";

/** The part of a `Ran` that is the same for every run that brought nothing. */
export const nothingSaid = { said: { kind: "nothing" }, stdout: "", stderr: "", warnings: [] } as const;

/** A run that never began, and why. */
export function notStarted(why: string, warnings: readonly Warning[] = []): Ran {
  return { ...nothingSaid, ended: { by: "not-started", why }, failure: why, warnings };
}

/** A wait that ended without an answer. What a hook says after its time is dropped. */
export function unanswered(
  waited: Exclude<Waited<unknown>, { by: "answered" }>,
  limit: Limit,
  warnings: readonly Warning[] = [],
): Ran {
  if (waited.by === "cancelled") {
    return { ...nothingSaid, ended: { by: "cancelled" }, failure: "cancelled before it answered", warnings };
  }
  if (waited.by === "timeout") {
    const failure = `no answer within ${duration(limit.timeoutMs)}`;
    return { ...nothingSaid, ended: { by: "timeout", afterMs: limit.timeoutMs }, failure, warnings };
  }
  const message = messageOf(waited.error);
  return { ...nothingSaid, ended: { by: "threw", message }, failure: message, warnings };
}
