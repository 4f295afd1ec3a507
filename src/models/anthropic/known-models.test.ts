import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { defaultModel, endOfLifeNotice, knownModel, knownModels, knownModelsRead } from "./known-models.ts";

test("the default model is in the table and has no end of life within 60 days of the table's date", () => {
  expect(knownModel(defaultModel)?.name).toBe(defaultModel);
  expect(endOfLifeNotice(defaultModel, Date.parse(knownModelsRead))).toBeUndefined();
});

test("a model is reported from 60 days before its end of life, and afterwards", () => {
  const at = (day: string) => endOfLifeNotice("claude-sonnet-4-5", Date.parse(`${day}T12:00:00Z`));
  expect(at("2026-09-30")).toBeUndefined();
  expect(at("2026-10-02")).toContain("reaches its end of life on 2026-11-30, in 60 days. Choose another");
  expect(at("2026-11-30")).toContain("in 1 day.");
  expect(at("2026-12-01")).toContain("reached its end of life on 2026-11-30; the API may refuse it.");
  expect(endOfLifeNotice("claude-sonnet-4-5-20250929", Date.parse("2026-11-16"))).toContain("in 15 days");
  expect(endOfLifeNotice("some-other-model", Date.parse("2030-01-01"))).toBeUndefined();
});

test("the table holds every end of life that the official package announces", () => {
  const file = createRequire(import.meta.url).resolve("@anthropic-ai/sdk/resources/messages/messages.js");
  const text = readFileSync(file, "utf8");
  const [, listed = ""] = /const DEPRECATED_MODELS = \{([^}]*)\}/.exec(text) ?? [];
  const dates = [...listed.matchAll(/'([^']+)': '(\w+) (\d+)\w*, (\d{4})'/g)];
  expect(dates.length).toBeGreaterThan(0);
  for (const [, name = "", month, day, year] of dates) {
    const date = new Date(`${month} ${day}, ${year} UTC`).toISOString().slice(0, 10);
    expect([name, knownModel(name)?.endOfLife]).toEqual([name, date]);
  }
  expect(new Set(knownModels.map(({ name }) => name)).size).toBe(knownModels.length);
});
