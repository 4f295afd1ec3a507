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
export function timeoutOf(hook: Hook, row: EventRow, env: Environment): number {
  if (hook.timeout !== undefined) return hook.timeout * 1_000;
  const standard = standardMs[hook.type];
  const replaced = budgetMs(row, env) ?? row.timeoutMs;
  return replaced !== null && standard === standardMs.command ? replaced : standard;
}

/** The limit for all hooks of an event together, where its row has one; a hook's own timeout raises it. */
export function eventBudgetMs(row: EventRow, hooks: readonly Hook[], env: Environment): number | undefined {
  const { budget } = row.special;
  if (budget === undefined) return undefined;
  if (saidMs(env[budget.variable]) !== undefined) return budgetMs(row, env);
  const longest = Math.max(0, ...hooks.map((hook) => (hook.timeout ?? 0) * 1_000));
  return Math.min(Math.max(budget.ms, longest), budget.mostMs);
}

/** What is left for a hook that may have queued. */
export function remainingMs({ timeoutMs, endsAt }: { readonly timeoutMs: number; readonly endsAt?: number }): number {
  return endsAt === undefined ? timeoutMs : Math.max(1, Math.min(timeoutMs, endsAt - performance.now()));
}

/** One figure is both the limit of the event and that of a hook which names none; a variable replaces it. */
function budgetMs({ special: { budget } }: EventRow, env: Environment): number | undefined {
  return budget && (saidMs(env[budget.variable]) ?? budget.ms);
}

function saidMs(text: string | undefined): number | undefined {
  const said = Number(text);
  return said > 0 ? said : undefined;
}
