import type { Thread } from "./thread.ts";

/** The limit that ends a turn before the model is asked again. */
export function limitReached(thread: Thread, asked: number): "max_turns" | "max_budget_usd" | undefined {
  if (thread.maxCalls !== undefined && asked >= thread.maxCalls) return "max_turns";
  return overBudget(thread) ? "max_budget_usd" : undefined;
}

/** More was spent than the session may spend. */
export function overBudget({ session: { options, spending } }: Thread): boolean {
  return options.maxBudgetUsd !== undefined && spending.costUsd >= options.maxBudgetUsd;
}
