import { usualDeadlineMs } from "../answer/event-rules.ts";
import type { AppParts } from "./app-definition.ts";
import type { FailureMode, Registration } from "./registration.ts";

/** The longest time that a timer knows; beyond it one would fire at once. */
export const longestMs: number = 2 ** 31 - 1;

/** How long the chain of an event may take; `install` gives the host's entry a little more. */
export function deadlineOf(event: string, chain: readonly Registration[], parts: AppParts): number {
  const usual = parts.options.timeoutMs ?? usualDeadlineMs(event);
  // A handler that names none must not be cut short because another one is quick.
  const ms = chain.length === 0 ? usual : Math.max(...chain.map(({ options }) => options.timeoutMs ?? usual));
  return Math.min(ms, longestMs);
}

/** The strictest mode among entry, app and the event's registrations: what holds when no single handler is to blame. */
export function strictestMode(
  parts: AppParts,
  chain: readonly Registration[],
  given: FailureMode | undefined,
): FailureMode {
  const modes = [given, parts.options.onFailure, ...chain.map(({ onFailure }) => onFailure)];
  return modes.includes("block") ? "block" : "continue";
}
