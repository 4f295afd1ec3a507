import { addTokens, type Call, noTokens, type Tokens } from "../../sessions/index.ts";
import { openPrices, priceOf } from "../../usage/index.ts";
import type { Message } from "./child-stream.ts";
import type { SessionResult, SessionWarning } from "./session-result.ts";

export type Spent = Pick<SessionResult, "usage" | "usageByModel" | "costUsd" | "costByModel" | "unpriced">;

/** Without a transcript nobody knows what was spent: unknown is not zero. */
export const unknownSpending: Spent = { usage: null, usageByModel: {}, costUsd: null, costByModel: {}, unpriced: [] };

/** Tokens and money of answers, counted by ourselves. */
export function spentBy(calls: readonly Call[]): Spent {
  const price = priceOf(openPrices());
  const byModel = new Map<string, Tokens>();
  const microByModel = new Map<string, number | null>();
  let micro = 0;
  const count = (model: string, tokens: Tokens): void =>
    void byModel.set(model, addTokens(byModel.get(model) ?? noTokens, tokens));
  for (const call of calls) {
    const model = call.model ?? "unknown";
    const { tokens, parts } = call.usage();
    count(model, tokens);
    for (const part of parts) count(part.model ?? model, part.tokens);
    const cost = price(call);
    const before = microByModel.get(model);
    micro += cost ?? 0;
    microByModel.set(model, cost === undefined || before === null ? null : (before ?? 0) + cost);
  }
  const micros = [...microByModel];
  return {
    usage: [...byModel.values()].reduce(addTokens, noTokens),
    usageByModel: Object.fromEntries(byModel),
    costUsd: micro / 1_000_000,
    costByModel: Object.fromEntries(micros.map(([model, own]) => [model, own === null ? null : own / 1_000_000])),
    unpriced: micros.flatMap(([model, own]) => (own === null ? [model] : [])),
  };
}

/** Where the agent counted otherwise, both figures are told; neither is taken for the other. */
export function differences({ usage, costUsd, unpriced }: Spent, result: Message | undefined): SessionWarning[] {
  if (usage === null || costUsd === null) return [];
  const warnings: SessionWarning[] = [];
  const theirs = tokensOf(result?.["modelUsage"]);
  const ours = usage.input + usage.output + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;
  if (theirs !== undefined && theirs !== ours) {
    const message = `The agent counts ${theirs} tokens, its transcript holds ${ours}. Side requests are in no transcript.`;
    warnings.push({ code: "tokens-differ", message });
  }
  const cost = result?.["total_cost_usd"];
  if (typeof cost === "number" && unpriced.length === 0 && Math.abs(cost - costUsd) > 0.000_001) {
    const message = `The agent reports a cost of $${cost.toFixed(6)}; by our prices it is $${costUsd.toFixed(6)}.`;
    warnings.push({ code: "cost-differs", message });
  }
  return warnings;
}

const counted = ["inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"];

function tokensOf(modelUsage: unknown): number | undefined {
  if (typeof modelUsage !== "object" || modelUsage === null) return undefined;
  return Object.values(modelUsage as Record<string, Record<string, unknown>>)
    .flatMap((one) => counted.map((name) => one[name]))
    .reduce((sum: number, value) => sum + (typeof value === "number" ? value : 0), 0);
}
