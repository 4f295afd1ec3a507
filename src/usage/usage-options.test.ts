import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answer, one, openWorld } from "./fixtures/world.ts";
import { type SpentOn, spent, statusline, type UsageOptions, usageReport } from "./internal.ts";

test.each([
  { report: "constructor" },
  { report: "dayly" },
  { mode: "exact" },
  { order: "up" },
  { weekStart: "Mon" },
  { index: "never" },
  { tokenLimit: -1 },
  { tokenLimit: "5" },
  { model: 5 },
  { now: Number.NaN },
  { roots: "/somewhere" },
])("an option that no report can follow is refused by name: %j", async (options) => {
  const [name = ""] = Object.keys(options);
  const problem = await usageReport({ index: false, roots: [], ...options } as UsageOptions).catch((error) => error);
  expect(problem).toMatchObject({ code: "usage/option" });
  expect(problem.message).toContain(name);
});

test.each([{ month: "2026-1" }, { month: "" }, { month: "October" }, { session: "" }, {}, { sesion: one }, undefined])(
  "a question that means nothing is refused, and never answered with 0 or with everything: %j",
  async (on) => {
    await expect(spent(on as unknown as SpentOn, { roots: [] })).rejects.toMatchObject({ code: "usage/option" });
  },
);

test("an option that does not exist is refused with the closest name, and never ignored", async () => {
  const refusal = (of: string) => ({
    code: "usage/option",
    message: `${of} has no option "rots". Did you mean roots?`,
  });
  const wrong = { rots: [] } as object;
  await expect(usageReport({ report: "daily", ...wrong })).rejects.toMatchObject(refusal("usageReport"));
  await expect(spent({ day: "today" }, wrong)).rejects.toMatchObject(refusal("spent"));
});

test.each([null, "models", 5, []])("options that are %j are refused, not taken for none", async (options) => {
  const refusal = { code: "usage/option" };
  await expect(usageReport(options as never)).rejects.toMatchObject(refusal);
  await expect(spent({ day: "today" }, options as never)).rejects.toMatchObject(refusal);
});

test("a root that does not exist is refused, and never answered with 0", async () => {
  const refusal = (what: string) => ({ code: "usage/option", message: `The option roots of ${what}, not ["nope"].` });
  await expect(usageReport({ roots: ["nope"], index: false })).rejects.toMatchObject(
    refusal("usageReport must be a list of directories that contain projects/"),
  );
  await expect(spent({ day: "today" }, { roots: ["nope"] })).rejects.toMatchObject(
    refusal("spent must be a list of existing directories"),
  );
});

test("a directory that has no sessions yet has an answer that is not complete; a file is refused", async () => {
  const { home } = openWorld();
  const fresh = join(home, "fresh");
  mkdirSync(fresh, { recursive: true });
  const options = { env: { HOOKLINE_HOME: home }, roots: [fresh] };
  for (const on of [{ day: "today" }, { month: "2026-10" }, { project: "/w" }] as const)
    expect(await spent(on, options)).toMatchObject({ costMicroUsd: 0, complete: false });
  writeFileSync(join(fresh, "file"), "");
  await expect(spent({ day: "today" }, { roots: [join(fresh, "file")] })).rejects.toMatchObject({
    code: "usage/option",
  });
});

test("statusline refuses input that is not text", async () => {
  await expect(statusline({ inptu: 1 } as never)).rejects.toMatchObject({
    code: "usage/option",
    message: expect.stringContaining("The input of statusline must be Claude Code's JSON as text, not "),
  });
});

test("settings that cannot be read or hold an unknown name are an error", async () => {
  const world = openWorld();
  world.write(`${one}.jsonl`, [answer()]);
  const settings = join(world.home, "usage.json");
  mkdirSync(settings, { recursive: true });
  await expect(world.report()).rejects.toMatchObject({ code: "usage/settings" });
  rmSync(settings, { recursive: true });
  writeFileSync(settings, '{"price":"mine.json"}');
  await expect(world.report()).rejects.toThrow('it has "price"');
});

test("a relative file of prices in the settings is relative to the state directory", async () => {
  const world = openWorld();
  world.write(`${one}.jsonl`, [answer()]);
  const prices = { input: "0", write5m: "0", write1h: "0", cacheRead: "0", output: "1000" };
  const row = { models: ["claude-opus-5"], prices, source: "https://acme.example", read: "2026-01-01" };
  mkdirSync(world.home, { recursive: true });
  writeFileSync(join(world.home, "mine.json"), JSON.stringify({ rows: [row] }));
  writeFileSync(join(world.home, "usage.json"), '{"prices":"mine.json"}');
  const { totals } = await world.report();
  expect(totals.costMicroUsd).toBe(100_000);
});
