import type { CallbackHook } from "../../protocol/index.ts";
import type { Soon } from "../fire/maybe-async.ts";
import { unanswered } from "./ended.ts";
import { settled } from "./run-limits.ts";
import type { Ran } from "./runner-result.ts";

export interface CallbackCall {
  /** A copy that nobody can change: one callback cannot change what the next one sees. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly toolUseId: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Contract: resolves even if the callback never answers, except while it holds the thread. An answer given at once costs neither a
 * timer nor a listener; only a promise that is pending is waited for.
 */
export function runCallback(hook: CallbackHook, call: CallbackCall): Soon<Ran> {
  if (call.signal.aborted) return unanswered({ by: "cancelled" }, call);
  // A signal of its own, aborted at its deadline too, is worth its price only to a callback that takes one.
  const controller = hook.callback.length > 2 ? new AbortController() : undefined;
  let value: unknown;
  try {
    value = hook.callback(call.payload, call.toolUseId, controller?.signal ?? call.signal);
    if (!isPromise(value)) return returned(hook, value);
  } catch (error) {
    return failed(hook, unanswered({ by: "threw", error }, call));
  }
  return settled(value, call, controller).then((waited) => {
    if (waited.by === "answered") return returned(hook, waited.value);
    const ran = unanswered(waited, call);
    return waited.by === "threw" ? failed(hook, ran) : ran;
  });
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** An unusable value is kept beside its failure: a denial may still be read out of it. */
function returned(hook: CallbackHook, value: unknown): Ran {
  if (value === undefined || value === null) return silence;
  const ran: Ran = { ...silence, said: { kind: "returned", value } };
  if (typeof value === "object" && !Array.isArray(value)) return ran;
  const what = Array.isArray(value) ? "a list" : `a ${typeof value}`;
  return failed(hook, { ...ran, failure: `returned ${what}; a callback returns an object or nothing` });
}

/** Most callbacks have nothing to say about most events, and one way to say it is enough. */
const silence: Ran = {
  ended: { by: "answered" },
  said: { kind: "returned", value: undefined },
  stdout: "",
  stderr: "",
  warnings: [],
};

function failed(hook: CallbackHook, ran: Ran): Ran {
  return hook.errorMessage === undefined ? ran : { ...ran, failure: hook.errorMessage };
}
