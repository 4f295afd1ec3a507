import { type ModelUsage, noUsage, type Purpose } from "../../models/internal.ts";
import type { ModelSpending } from "../../protocol/internal.ts";
import { openPrices, type PriceTable, priceUsage } from "../../usage/internal.ts";
import { apiUsage } from "./journal.ts";

/** Tokens and money of a session, by model. */
export interface Spending {
  add(call: {
    readonly purpose: Purpose;
    readonly model: string;
    readonly usage: ModelUsage;
    readonly apiMs: number;
    readonly contextWindow?: number | undefined;
  }): void;
  /** Tokens of the main thread since the last `mark`. */
  readonly turn: ModelUsage;
  readonly apiMs: number;
  readonly costUsd: number;
  /** Models of which a call had no price: its tokens are counted, its cost is not known. */
  readonly unpriced: readonly string[];
  readonly byModel: Readonly<Record<string, ModelSpending>>;
  /** A new turn begins. */
  mark(): void;
}

/** What a conversation asks for. */
export const maxOutputTokens = 32_000;

interface ModelTotals {
  readonly usage: ModelUsage;
  readonly micro: number | undefined;
  readonly whole: boolean;
  readonly contextWindow: number | undefined;
}

export function openSpending(now: () => number, given?: PriceTable): Spending {
  const models = new Map<string, ModelTotals>();
  let prices = given;
  let turn = noUsage;
  let apiMs = 0;

  return {
    add(call) {
      const { purpose, model, usage } = call;
      prices ??= openPrices();
      const cost = priceUsage({ model, at: now(), usage: apiUsage(usage) }, prices);
      const before = models.get(model) ?? { usage: noUsage, micro: undefined, whole: true, contextWindow: undefined };
      const micro = cost === undefined ? before.micro : (before.micro ?? 0) + cost;
      models.set(model, {
        usage: addUsage(before.usage, usage),
        micro,
        whole: before.whole && cost !== undefined,
        contextWindow: call.contextWindow ?? before.contextWindow,
      });
      apiMs += call.apiMs;
      if (purpose === "main") turn = addUsage(turn, usage);
    },
    get turn() {
      return turn;
    },
    get apiMs() {
      return Math.round(apiMs);
    },
    get costUsd() {
      return [...models.values()].reduce((sum, { micro }) => sum + (micro ?? 0), 0) / 1_000_000;
    },
    get unpriced() {
      return [...models].filter(([, { whole }]) => !whole).map(([name]) => name);
    },
    get byModel() {
      return Object.fromEntries([...models].map(([name, spent]) => [name, modelSpending(spent)]));
    },
    mark() {
      turn = noUsage;
    },
  };
}

export function addUsage(a: ModelUsage, b: ModelUsage): ModelUsage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite1h: a.cacheWrite1h + b.cacheWrite1h,
    cacheWrite5m: a.cacheWrite5m + b.cacheWrite5m,
  };
}

/** Tokens that the conversation holds after an answer. */
export function totalTokens({ input, output, cacheRead, cacheWrite1h, cacheWrite5m }: ModelUsage): number {
  return input + output + cacheRead + cacheWrite1h + cacheWrite5m;
}

function modelSpending({ usage, micro, contextWindow }: ModelTotals): ModelSpending {
  return {
    inputTokens: usage.input,
    outputTokens: usage.output,
    cacheReadInputTokens: usage.cacheRead,
    cacheCreationInputTokens: usage.cacheWrite1h + usage.cacheWrite5m,
    webSearchRequests: 0,
    costUSD: micro === undefined ? null : micro / 1_000_000,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    maxOutputTokens,
  };
}
