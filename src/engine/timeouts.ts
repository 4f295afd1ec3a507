import type { EventRow, Hook, HookType } from "../protocol/index.ts";
import type { Environment } from "./runners/command/environment.ts";

const standardMs: Readonly<Record<HookType, number>> = {
  command: 600_000,
  http: 600_000,
  mcp_tool: 600_000,
  callback: 600_000,
  prompt: 30_000,
  agent: 60_000,
  function: 5_000,
};

/** How long a hook may take: its own word, else the event's, else the type's. */
export function timeoutOf(hook: Hook, row: EventRow): number {
  if (hook.timeout !== undefined) return hook.timeout * 1_000;
  const standard = standardMs[hook.type];
  const replaced = row.special.budget?.ms ?? row.timeoutMs;
  return replaced !== null && standard === standardMs.command ? replaced : standard;
}

/** The limit for all hooks of an event together, where its row has one; a hook's own timeout raises it. */
export function eventBudgetMs(row: EventRow, hooks: readonly Hook[], env: Environment): number | undefined {
  const { budget } = row.special;
  if (budget === undefined) return undefined;
  const said = Number(env[budget.variable]);
  if (said > 0) return said;
  const longest = Math.max(0, ...hooks.map((hook) => (hook.timeout ?? 0) * 1_000));
  return Math.min(Math.max(budget.ms, longest), budget.mostMs);
}
