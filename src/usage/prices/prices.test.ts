import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answer, openWorld, reportOf, tokens } from "../fixtures/world.ts";
import { openPrices, pricedModel, priceUsage } from "../internal.ts";
import type { PriceRow, Prices } from "./price-rows.ts";

const table = openPrices();
const at = (day: string) => Date.parse(`${day}T12:00:00Z`);
const million = 1_000_000;

/** Dollars per million: input, write 5m, write 1h, read, output. */
function dollars({ input, write5m, write1h, cacheRead, output }: Prices): number[] {
  return [input, write5m, write1h, cacheRead, output].map((pico) => pico / million);
}

const opus = [5, 6.25, 10, 0.5, 25];
const oldOpus = [15, 18.75, 30, 1.5, 75];
const sonnet = [3, 3.75, 6, 0.3, 15];

test.each([
  ["claude-fable-5-1", "2026-10-10", [10, 12.5, 20, 0.25, 50]],
  ["claude-mythos-5-1", "2026-10-10", [10, 12.5, 20, 0.25, 50]],
  ["claude-fable-5", "2026-10-10", [10, 12.5, 20, 1, 50]],
  ["claude-mythos-5", "2026-10-10", [10, 12.5, 20, 1, 50]],
  ["claude-opus-5-5", "2026-10-10", [4, 5, 8, 0.2, 20]],
  ["claude-opus-5", "2026-10-10", opus],
  ["claude-opus-4-8", "2026-10-10", opus],
  ["claude-opus-4-7", "2026-10-10", opus],
  ["claude-opus-4-6", "2026-10-10", opus],
  ["claude-opus-4-5", "2026-10-10", opus],
  ["claude-opus-4-1", "2026-10-10", oldOpus],
  ["claude-opus-4", "2026-01-10", oldOpus],
  ["claude-3-opus", "2025-12-10", oldOpus],
  ["claude-sonnet-5-5", "2026-10-06", [2, 2.5, 4, 0.2, 10]],
  ["claude-sonnet-5-5", "2026-10-07", [2, 2.5, 4, 0.1, 10]],
  ["claude-sonnet-5", "2026-10-10", [2, 2.5, 4, 0.2, 10]],
  ["claude-sonnet-4-6", "2026-10-10", sonnet],
  ["claude-sonnet-4-5", "2026-01-10", sonnet],
  ["claude-sonnet-4", "2026-01-10", sonnet],
  ["claude-3-7-sonnet", "2025-11-10", sonnet],
  ["claude-haiku-5-5", "2026-10-10", [0.1, 0.125, 0.2, 0.01, 0.5]],
  ["claude-haiku-4-5", "2026-10-10", [1, 1.25, 2, 0.1, 5]],
  ["claude-3-5-haiku", "2025-11-10", [0.8, 1, 1.6, 0.08, 4]],
  ["claude-3-haiku", "2025-11-10", [0.25, 0.3, 0.5, 0.03, 1.25]],
] as const)("the price of %s on %s is the one of the vendor", (model, day, prices) => {
  const row = table.rowAt(model, at(day));
  expect(row && dollars(row.prices)).toEqual(prices);
  expect(row?.perSearchPico).toBe(10_000 * million);
});

test("fast prices, steps and the surcharge are where the vendor has them", () => {
  const rowOf = (model: string, day = "2026-10-10") => table.rowAt(model, at(day)) as PriceRow;
  expect(dollars(rowOf("claude-opus-5-5").fast as Prices)).toEqual([8, 10, 16, 0.4, 40]);
  expect(dollars(rowOf("claude-opus-5").fast as Prices)).toEqual([10, 12.5, 20, 1, 50]);
  expect(dollars(rowOf("claude-opus-4-6").fast as Prices)).toEqual([30, 37.5, 60, 3, 150]);
  expect(rowOf("claude-opus-4-5").fast).toBeUndefined();
  const [long] = rowOf("claude-sonnet-4-5", "2025-11-01").steps;
  expect([long?.over, dollars(long?.prices as Prices)]).toEqual([200_000, [6, 7.5, 12, 0.6, 22.5]]);
  const [haiku] = rowOf("claude-haiku-5-5").steps;
  expect([haiku?.over, dollars(haiku?.prices as Prices)]).toEqual([100_000, [0.5, 0.625, 1, 0.05, 2.5]]);
  const surcharged = ["claude-opus-4-6", "claude-sonnet-4-6", "claude-opus-5", "claude-haiku-5-5", "claude-fable-5"];
  expect(surcharged.map((model) => rowOf(model).usSurcharge)).toEqual(surcharged.map(() => true));
  expect(["claude-opus-4-5", "claude-haiku-4-5"].map((model) => rowOf(model).usSurcharge)).toEqual([false, false]);
});

test("rows of a model neither overlap nor leave a gap, and say where and when they were read", () => {
  for (const model of new Set(table.rows.flatMap(({ models }) => models))) {
    const rows = table.rows.filter(({ models }) => models.includes(model)).sort((a, b) => a.from - b.from);
    for (const [index, { from }] of rows.slice(1).entries()) expect(from, model).toBe(rows[index]?.to);
  }
  for (const { source, read } of table.rows) {
    expect(source).toMatch(/^https:\/\//);
    expect(read).toMatch(/^20\d\d-\d\d-\d\d$/);
  }
});

test("the [1m] mark, the date and what a cloud adds are removed from a name; names are never matched by similarity", () => {
  const names = [
    "claude-opus-5[1m]",
    "claude-sonnet-4-5-20250929",
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "anthropic.claude-opus-4-6-v1",
    "claude-sonnet-4-5@20250929",
    "eu.anthropic.claude-haiku-4-5-20251001-v1:0[1m]",
  ];
  expect(names.map(pricedModel)).toEqual([
    { name: "claude-opus-5", cloud: false },
    { name: "claude-sonnet-4-5", cloud: false },
    { name: "claude-sonnet-4-5", cloud: true },
    { name: "claude-opus-4-6", cloud: true },
    { name: "claude-sonnet-4-5", cloud: true },
    { name: "claude-haiku-4-5", cloud: true },
  ]);
  for (const like of ["claude-opus-5-9", "claude-opus", "my-claude-opus-5", "claude-opus-5-turbo", "Claude-Opus-5"])
    expect(table.rowAt(like, at("2026-10-10")), like).toBeUndefined();
});

test("what a cloud sold is priced at list, and marked", async () => {
  const model = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
  const { rows } = await reportOf([answer({ model })], { report: "models" });
  expect(rows).toMatchObject([{ model, basis: "list", costMicroUsd: 1_530 }]);
  const plain = await reportOf([answer()], { report: "models" });
  expect(plain.rows[0]).not.toHaveProperty("basis");
});

test("an unpriced model is named, and the total is incomplete", async () => {
  const { totals, unpriced, warnings } = await reportOf([
    answer(),
    answer({ id: "msg_2", request: "req_2", model: "acme-coder-1" }),
  ]);
  expect(totals).toMatchObject({ calls: 2, costMicroUsd: 2_550, complete: false });
  expect(unpriced).toMatchObject([{ model: "acme-coder-1", calls: 1, inputTokens: 10, outputTokens: 100 }]);
  expect(warnings).toMatchObject([{ code: "unpriced-model", count: 1 }]);
});

test("a user's own table wins by model and period", async () => {
  const world = openWorld();
  world.write("11111111-1111-4111-8111-111111111111.jsonl", [
    answer({ at: "2026-10-04T10:00:00.000Z" }),
    answer({ id: "msg_2", request: "req_2", at: "2026-10-06T10:00:00.000Z" }),
    answer({ id: "msg_3", request: "req_3", model: "acme-coder-1" }),
  ]);
  const prices = join(world.root, "prices.json");
  const row = {
    prices: { input: "1", write5m: "1", write1h: "1", cacheRead: "1", output: "1" },
    source: "us",
    read: "now",
  };
  writeFileSync(
    prices,
    JSON.stringify({
      rows: [
        { ...row, models: ["claude-opus-5"], from: "2026-10-05" },
        { ...row, models: ["acme-coder-1"] },
      ],
    }),
  );
  mkdirSync(world.home, { recursive: true });
  writeFileSync(join(world.home, "usage.json"), JSON.stringify({ prices }));
  expect((await world.report()).totals).toMatchObject({ costMicroUsd: 2_550 + 110 + 110, complete: true });
  const { rows, totals } = await world.report({ prices });
  expect(rows.map(({ date, costMicroUsd }) => [date, costMicroUsd])).toEqual([
    ["2026-10-04", 2_550],
    ["2026-10-05", 110],
    ["2026-10-06", 110],
  ]);
  expect(totals.complete).toBe(true);
  const shown = await world.report({ report: "models", prices, showPrices: true });
  expect(shown.prices.rows?.map(({ models, source, read }) => [models[0], source, read])).toEqual(
    expect.arrayContaining([
      ["claude-opus-5", "us", "now"],
      ["acme-coder-1", "us", "now"],
    ]),
  );
});

test.each([
  ["{", "is not JSON"],
  ["{}", 'no list "rows"'],
  ['{"rows":[{}]}', '"models"'],
  [
    '{"rows":[{"models":["m"],"prices":{"input":"-1"},"source":"s","read":"r"}]}',
    '"input" must be an amount such as "12.50", not "-1"',
  ],
  ['{"rows":[{"models":["m"],"currency":"EUR"}]}', "currency"],
])("a table that cannot be used is a problem that says why: %s", async (text, why) => {
  const world = openWorld();
  const prices = join(world.root, "prices.json");
  writeFileSync(prices, text);
  await expect(world.report({ prices })).rejects.toMatchObject({
    code: "usage/prices",
    message: expect.stringContaining(why),
  });
});

test("a price is computed in the order row by time, step for all tokens, fast, batch, US, searches", () => {
  const usage = (more: object) => ({ ...tokens(0, 0), ...more });
  const price = (model: string, day: string, more: object) =>
    priceUsage({ model, at: at(day), usage: usage(more) }, table);
  expect(price("claude-sonnet-4-5", "2025-11-01", { input_tokens: 200_000 })).toBe(600_000);
  expect(price("claude-sonnet-4-5", "2025-11-01", { input_tokens: 200_001 })).toBe(1_200_006);
  // The whole prompt chooses the step, and all tokens are priced by it.
  const mixed = { input_tokens: 1, cache_read_input_tokens: 200_000, output_tokens: 1000 };
  expect(price("claude-sonnet-4-5", "2025-11-01", mixed)).toBe(Math.round(6 + 120_000 + 22_500));
  // Of several message iterations the largest prompt decides, not their sum.
  const iterations = [150_000, 100_000].map((count) => ({ type: "message", ...tokens(count, 0) }));
  expect(price("claude-sonnet-4-5", "2025-11-01", { input_tokens: 250_000, iterations })).toBe(750_000);
  // An iteration whose prompt is not known does not lower the step.
  for (const odd of [{ type: "message" }, { type: "message", ...tokens(1, 0), input_tokens: "x" }, tokens(1, 0)]) {
    const some = { input_tokens: 250_000, iterations: [...iterations, odd] };
    expect(price("claude-sonnet-4-5", "2025-11-01", some)).toBe(1_500_000);
  }
  expect(price("claude-opus-4-6", "2026-10-10", { input_tokens: million, speed: "fast" })).toBe(30 * million);
  // A model without fast prices has none.
  expect(price("claude-opus-4-5", "2026-10-10", { input_tokens: million, speed: "fast" })).toBe(5 * million);
  expect(price("claude-opus-5", "2026-10-10", { input_tokens: million, service_tier: "batch" })).toBe(2.5 * million);
  expect(price("claude-opus-5", "2026-10-10", { input_tokens: million, inference_geo: "us" })).toBe(5.5 * million);
  expect(price("claude-opus-5", "2026-10-10", { input_tokens: million, inference_geo: "US" })).toBe(5 * million);
  expect(price("claude-opus-4-5", "2026-10-10", { input_tokens: million, inference_geo: "us" })).toBe(5 * million);
  const all = {
    input_tokens: million,
    service_tier: "batch",
    inference_geo: "us",
    server_tool_use: { web_search_requests: 3 },
  };
  expect(price("claude-opus-5", "2026-10-10", all)).toBe(2.75 * million + 30_000);
});

test("fast and batch together do not exist: fast is used, and reported", async () => {
  const usage = { input_tokens: million, output_tokens: 0, speed: "fast", service_tier: "batch" };
  const { totals, warnings } = await reportOf([answer({ model: "claude-opus-4-6", usage })]);
  expect(totals.costMicroUsd).toBe(30 * million);
  expect(warnings).toMatchObject([{ code: "fast-and-batch", count: 1 }]);
});

const ownRow = {
  models: ["claude-sonnet-4-5-20250929"],
  from: "2026-04-01",
  prices: { input: "1000", write5m: "1", write1h: "1", cacheRead: "1", output: "1" },
  source: "https://acme.example/prices",
  read: "2026-04-01",
};

function withOwn(row: object, mark = ""): ReturnType<typeof openPrices> {
  const file = join(openWorld().root, "prices.json");
  writeFileSync(file, mark + JSON.stringify({ rows: [row] }));
  return openPrices(file);
}

test("a user's row for a dated name does not change the price of the days before it", () => {
  const own = withOwn(ownRow, "\ufeff");
  const inputAt = (model: string, day: string) => own.rowAt(model, at(day))?.prices.input;
  expect(inputAt("claude-sonnet-4-5-20250929", "2026-04-02")).toBe(1000 * million);
  expect(inputAt("claude-sonnet-4-5-20250929", "2026-03-30")).toBe(3 * million);
  expect(inputAt("claude-sonnet-4-5", "2026-04-02")).toBe(3 * million);
});

test.each([
  [{ frm: "2026-04-01" }, '"frm" is not known; did you mean "from"'],
  [{ to: "2026-04-01" }, 'it must come after "from"'],
  [{ from: "2026-02-30" }, '"2026-02-30" is not a day'],
  [{ usSurcharge: "true" }, '"usSurcharge" is true or false'],
  [{ prices: { ...ownRow.prices, cache_read: "1" } }, '"cache_read" is not known'],
  [{ steps: [{ over: -1, prices: ownRow.prices }] }, 'a step needs "over"'],
  [{ steps: [{ over: 1, price: 2, prices: ownRow.prices }] }, '"price" is not known'],
])("an invalid row of a user's table is refused by name: %j", (more, why) => {
  expect(() => withOwn({ ...ownRow, ...more })).toThrow(why);
});
