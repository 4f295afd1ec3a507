import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { loadApp } from "../../sdk/internal.ts";
import { testClient } from "../../sdk/testing/index.ts";
import { emptyProject, init, recipes } from "./fixtures/init.ts";

test.each(recipes)("the test that init writes passes with the recipe %s", async (name) => {
  const folder = emptyProject();
  await init(folder, "--with", name);
  const env = { HOME: folder, HOOKLINE_HOME: join(folder, "state"), PATH: process.env["PATH"] };
  const inside = await loadApp(join(folder, ".claude/hooks.ts"), { env, cwd: folder });
  const client = testClient({ [Symbol.for("hookline.app")]: inside });
  const asked = await client.preTool("Bash", { command: "rm notes.txt" });
  expect([asked.decision, asked.trace.map((one) => one.name).includes("ask-before-delete")]).toEqual(["ask", true]);
  (await client.preTool("Bash", { command: "ls" })).expectNoOpinion();
  expect(readFileSync(join(folder, ".claude/hooks.test.ts"), "utf8")).toContain('"rm notes.txt" })).expectAsked(');
});

test("the files that init writes type-check, with every recipe", async () => {
  const folder = emptyProject();
  await init(folder, "--with", recipes.join(","));
  const root = resolve(import.meta.dirname, "../../..");
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules/hookline"));
  symlinkSync(join(root, "node_modules/@types"), join(folder, "node_modules/@types"));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", ".claude"], { cwd: folder, encoding: "utf8" });
  expect([status, stdout]).toEqual([0, ""]);
}, 120_000);
