import { expect, test } from "vitest";
import { noUsage } from "../../models/internal.ts";
import { openPrices } from "../../usage/internal.ts";
import { openSpending } from "./spending.ts";

test("calls with a price keep their cost when a later call of the same model has none", () => {
  const own = openPrices();
  let known = true;
  const rowAt = (model: string, at: number) => (known ? own.rowAt(model, at) : undefined);
  const spending = openSpending(() => Date.parse("2026-11-16"), { ...own, rowAt });
  const [model, usage] = ["claude-sonnet-5-5", { ...noUsage, input: 1_000_000 }];
  spending.add({ purpose: "main", model, usage, apiMs: 1 });
  const { costUsd } = spending;
  expect([costUsd > 0, spending.unpriced]).toEqual([true, []]);
  known = false;
  spending.add({ purpose: "main", model, usage, apiMs: 1 });
  expect([spending.costUsd, spending.unpriced]).toEqual([costUsd, [model]]);
  expect(spending.byModel[model]).toMatchObject({ inputTokens: 2_000_000, costUSD: costUsd });
});

test("the result names each model's window and the longest answer it is asked for", () => {
  const spending = openSpending(() => Date.parse("2026-11-16"));
  const call = { purpose: "main", usage: noUsage, apiMs: 1 } as const;
  spending.add({ ...call, model: "claude-haiku-4-5", contextWindow: 200_000 });
  spending.add({ ...call, model: "claude-haiku-4-5" });
  spending.add({ ...call, model: "local" });
  expect(spending.byModel).toMatchObject({ "claude-haiku-4-5": { contextWindow: 200_000, maxOutputTokens: 32_000 } });
  expect(spending.byModel["local"]).not.toHaveProperty("contextWindow");
});
