import { type ModelUsage, noUsage } from "../../models/internal.ts";
import { defined, type ModelSpending } from "../../protocol/internal.ts";
import { openPrices, type PriceTable, priceUsage } from "../../usage/internal.ts";
import type { HookSpending } from "../hook-ports/model-ports.ts";
import { apiUsage } from "./journal.ts";

type Moment = keyof typeof momentNames;

const momentNames = {
  requested: ["time_to_request_ms"],
  answering: ["ttft_stream_ms"],
  speaking: ["ttft_ms", "first_content_frame_ms"],
} as const;

/** The output limit of a request. */
export const maxOutputTokens = 32_000;

interface ModelTotals {
  readonly usage: ModelUsage;
  /** Cost in millionths of a dollar; undefined when no call had a price. */
  readonly costMicroUsd: number | undefined;
  readonly isFullyPriced: boolean;
  readonly contextWindow: number | undefined;
}

interface SpentCall extends Omit<HookSpending, "hook"> {
  readonly contextWindow?: number | undefined;
}

export type Spending = ReturnType<typeof openSpending>;

/** Tokens, cost and times of the model calls of a session. */
export function openSpending(now: () => number, priceTable?: PriceTable) {
  const models = new Map<string, ModelTotals>();
  const moments = new Map<Moment, number>();
  let prices = priceTable;
  let turn = noUsage;
  let apiMs = 0;

  return {
    add(call: SpentCall): void {
      const { purpose, model, usage } = call;
      prices ??= openPrices();
      const cost = priceUsage({ model, at: now(), usage: apiUsage(usage) }, prices);
      const before = models.get(model) ?? noCalls;
      models.set(model, {
        usage: addUsage(before.usage, usage),
        costMicroUsd: cost === undefined ? before.costMicroUsd : (before.costMicroUsd ?? 0) + cost,
        isFullyPriced: before.isFullyPriced && cost !== undefined,
        contextWindow: call.contextWindow ?? before.contextWindow,
      });
      apiMs += call.apiMs;
      if (purpose === "main") turn = addUsage(turn, usage);
    },
    /** Tokens of the main thread since the last `mark`. */
    get turn(): ModelUsage {
      return turn;
    },
    get apiMs(): number {
      return Math.round(apiMs);
    },
    get costUsd(): number {
      return [...models.values()].reduce((sum, { costMicroUsd }) => sum + (costMicroUsd ?? 0), 0) / 1_000_000;
    },
    /** Models with a call that had no known price: its tokens are counted, its cost is not. */
    get unpriced(): readonly string[] {
      return [...models].filter(([, { isFullyPriced }]) => !isFullyPriced).map(([name]) => name);
    },
    get byModel(): Readonly<Record<string, ModelSpending>> {
      return Object.fromEntries([...models].map(([name, totals]) => [name, modelSpending(totals)]));
    },
    /** Records the first occurrence of a moment in the main thread since the last `mark`. */
    at(moment: Moment): void {
      if (!moments.has(moment)) moments.set(moment, now());
    },
    /** The recorded moments in milliseconds after `startedAt`, under the names of the result object. */
    momentsSince(startedAt: number): Readonly<Record<string, number>> {
      const all = [...moments].flatMap(([moment, at]) =>
        momentNames[moment].map((name) => [name, Math.max(0, Math.round(at - startedAt))]),
      );
      return Object.fromEntries(all);
    },
    /** Starts a new turn. */
    mark(): void {
      turn = noUsage;
      moments.clear();
    },
  };
}

const noCalls: ModelTotals = { usage: noUsage, costMicroUsd: undefined, isFullyPriced: true, contextWindow: undefined };

function addUsage(a: ModelUsage, b: ModelUsage): ModelUsage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite1h: a.cacheWrite1h + b.cacheWrite1h,
    cacheWrite5m: a.cacheWrite5m + b.cacheWrite5m,
  };
}

function modelSpending({ usage, costMicroUsd, contextWindow }: ModelTotals): ModelSpending {
  return {
    inputTokens: usage.input,
    outputTokens: usage.output,
    cacheReadInputTokens: usage.cacheRead,
    cacheCreationInputTokens: usage.cacheWrite1h + usage.cacheWrite5m,
    webSearchRequests: 0,
    costUSD: costMicroUsd === undefined ? null : costMicroUsd / 1_000_000,
    ...defined({ contextWindow }),
    maxOutputTokens,
  };
}
