import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ReplayReport } from "../../src/replay/internal.ts";
import { type Machine, machine } from "./program.ts";

let world: Machine;
beforeAll(() => {
  world = machine();
});
afterAll(() => world.remove());

const names = readdirSync(resolve(import.meta.dirname, "../../examples/hooks")).map((file) => file.slice(0, -3));

test("every recipe at once: init --with includes them, the written test passes, and a replay has no effects", async () => {
  const { code, stdout } = await world.hookline(["init", "--with", names.join(",")]);
  expect([code, stdout.includes(`The hooks file includes ${names.join(", ")}.`)]).toEqual([0, true]);
  const tested = await world.hookline(["test"]);
  expect([tested.code, tested.stdout]).toEqual([0, expect.stringMatching(/^2 tests, 0 failed$/m)]);
  const hooks = readFileSync(join(world.project, ".claude/hooks.ts"), "utf8");
  expect(hooks.match(/^app\.include\(/gm)).toHaveLength(names.length);
  // Two strategies decide about Stop; the second one says that their order counts.
  expect(hooks).toContain('app.include(longRunning(), { onConflict: "order" });');
  const files = world.files();
  const replayed = await world.hookline(["replay", "--all", "--json"]);
  expect([replayed.code, replayed.stderr]).toEqual([0, ""]);
  const report = JSON.parse(replayed.stdout) as ReplayReport;
  expect({ effects: report.effects, failures: report.failures, calls: report.toolCalls }).toEqual({
    effects: [],
    failures: [],
    calls: 45,
  });
  expect(world.files().filter((name) => !files.includes(name) && !/^state($|\/builds)/.test(name))).toEqual([]);
});

test("init keeps an existing recipe file without --force, replaces it with --force, and rejects an unknown recipe", async () => {
  const file = world.file(".claude/steer.ts", "// mine\n");
  const kept = await world.hookline(["init", "--with", "steer"]);
  expect([kept.code, kept.stdout.includes(`kept  ${file}`), readFileSync(file, "utf8")]).toEqual([
    0,
    true,
    "// mine\n",
  ]);
  const before = world.files();
  const unknown = await world.hookline(["init", "--force", "--with", "steerr"]);
  expect([unknown.code, unknown.stderr]).toEqual([1, 'hookline: Unknown recipe "steerr". Did you mean "steer"?\n']);
  expect([world.files(), readFileSync(file, "utf8")]).toEqual([before, "// mine\n"]);
  expect((await world.hookline(["init", "--force", "--with", "steer"])).code).toBe(0);
  expect(readFileSync(file, "utf8")).toContain("export");
});
