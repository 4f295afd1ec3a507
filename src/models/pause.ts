import { setTimeout as sleep } from "node:timers/promises";
import type { ModelError } from "./model.ts";

/** Waits, or stops waiting when told to. Contract: resolves in both cases; the caller asks the signal. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return;
  try {
    await sleep(ms, undefined, { signal });
  } catch (cause) {
    if (!signal.aborted) throw cause;
  }
}

export const aborted: ModelError = { type: "error", errorType: "aborted", message: "The request was interrupted." };
