// Keeps a session within its tokens or its cost, read from the transcript: it warns, then asks, then stops.
// app.include(budgetGuard({ usd: 5 }));
import { ask, type Blueprint, blueprint, context, halt } from "hookline/sdk";

export interface BudgetGuardOptions {
  /** Input, output and cache writes together, subagents included. */
  readonly tokens?: number;
  readonly usd?: number;
  /** Shares of the budget at which it warns, asks and stops. */
  readonly warnAt?: number;
  readonly askAt?: number;
  readonly haltAt?: number;
}

export function budgetGuard(options: BudgetGuardOptions = {}): Blueprint {
  const { tokens = 2_000_000, usd, warnAt = 0.8, askAt = 1, haltAt = 1.5 } = options;
  const part = blueprint("budget-guard");
  part.preTool({ name: "budget-guard" }, async (_event, { transcript, state }) => {
    const price = usd === undefined ? {} : { price: (await import("hookline/usage")).priceOf() };
    const stats = await (await transcript).stats(price);
    const spent = [stats.tokens.main, stats.tokens.agents]
      .map(({ input, output, cacheWrite5m, cacheWrite1h }) => input + output + cacheWrite5m + cacheWrite1h)
      .reduce((sum, count) => sum + count, 0);
    const cost = ((stats.costMicroUsd?.main ?? 0) + (stats.costMicroUsd?.agents ?? 0)) / 1e6;
    const share = usd === undefined ? spent / tokens : cost / usd;
    const words = usd === undefined ? `${spent} of ${tokens} tokens` : `$${cost.toFixed(2)} of $${usd.toFixed(2)}`;
    if (share >= haltAt) return halt(`The budget is gone: ${words}.`);
    if (share >= askAt) return ask(`The budget is used up: ${words}. Go on?`);
    if (share < warnAt || (await state.get("warned"))) return undefined;
    await state.set("warned", true);
    return context(`This session has used ${words}. Finish what matters most.`);
  });
  return part;
}
