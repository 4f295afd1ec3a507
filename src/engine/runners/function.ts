import type { FunctionHook } from "../../protocol/index.ts";
import { nothingSaid, unanswered } from "./ended.ts";
import { type Limit, waitFor } from "./run-limits.ts";
import type { Ran } from "./runner-result.ts";

export interface FunctionCall extends Limit {
  readonly messages: readonly unknown[];
}

/** Contract: resolves even if the function never answers. True lets the agent stop, false makes it go on; anything else is a failure. */
export async function runFunction(hook: FunctionHook, call: FunctionCall): Promise<Ran> {
  const waited = await waitFor(async (signal) => hook.function(call.messages, signal), call);
  if (waited.by !== "answered") return unanswered(waited, call);
  const ok: unknown = waited.value;
  if (typeof ok !== "boolean") {
    const failure = `returned ${ok === null ? "null" : typeof ok}; a function hook returns true or false`;
    return { ...nothingSaid, ended: { by: "answered" }, failure };
  }
  const reason = ok ? {} : { reason: hook.errorMessage };
  return { ...nothingSaid, ended: { by: "answered" }, said: { kind: "judged", ok, ...reason, continueOnBlock: false } };
}
