import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Report } from "../../src/replay/index.ts";
import { type Machine, machine } from "./program.ts";

let world: Machine;
beforeAll(() => {
  world = machine();
});
afterAll(() => world.remove());

const names = readdirSync(resolve(import.meta.dirname, "../../examples/hooks")).map((file) => file.slice(0, -3));

test("SD-86, SD-108: every recipe comes with init --with beside a scaffold that passes its tests, and replays without effects", async () => {
  const { code, stdout } = await world.hookline(["init", "--with", names.join(",")]);
  expect(code).toBe(0);
  const tested = await world.hookline(["test"]);
  expect([tested.code, tested.stdout]).toEqual([0, expect.stringMatching(/^ℹ fail 0$/m)]);
  const printed = stdout.split("Add to hooks.ts:\n")[1] ?? "";
  const [imports = [], includes = []] = ["import", "app.include"].map((word) =>
    printed.split("\n").filter((line) => line.trim().startsWith(word)),
  );
  expect([imports.length, includes.length]).toEqual([names.length, names.length]);
  const file = join(world.project, ".claude/hooks.ts");
  const before = readFileSync(file, "utf8");
  // Two strategies decide about Stop; their author says in which order.
  const ordered = includes.map((line) => line.replace("longRunning())", `longRunning(), { onConflict: "order" })`));
  world.file(
    ".claude/hooks.ts",
    before.replace("export default", `${[...imports, ...ordered].join("\n")}\nexport default`),
  );
  const files = world.files();
  const replayed = await world.hookline(["replay", "--all", "--json"]);
  expect([replayed.code, replayed.stderr]).toEqual([0, ""]);
  const report = JSON.parse(replayed.stdout) as Report;
  expect({ effects: report.effects, failures: report.failures, calls: report.toolCalls }).toEqual({
    effects: [],
    failures: [],
    calls: 45,
  });
  expect(world.files().filter((name) => !files.includes(name) && !/^state($|\/builds)/.test(name))).toEqual([]);
});

test("SD-86: init never replaces a file unasked, and a name nobody knows writes nothing", async () => {
  const file = world.file(".claude/steer.ts", "// mine\n");
  const again = await world.hookline(["init", "--with", "steer"]);
  expect([again.code, again.stdout.includes(`kept  ${file}`), readFileSync(file, "utf8")]).toEqual([
    0,
    true,
    "// mine\n",
  ]);
  const unknown = await world.hookline(["init", "--with", "steerr"]);
  expect([unknown.code, unknown.stderr]).toEqual([1, 'hookline: "steerr" is no recipe. Did you mean "steer"?\n']);
});
