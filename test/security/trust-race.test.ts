import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openEngine } from "../../src/engine/internal.ts";
import { until } from "../until.ts";
import { approved, flip } from "./swaps.ts";

test("a script that was written a moment ago runs as soon as it is at rest", async () => {
  const world = await approved("sh .claude/h.sh", ".claude/h.sh", "echo good\n");
  const engine = await openEngine(world.options);
  await writeFile(join(world.project, ".claude/h.sh"), "echo good\n");
  const { runs } = await engine.fire("Stop", {});
  await engine.close();
  expect(runs.map(({ stdout }) => stdout.trim())).toEqual(["good"]);
});

test("a hook runs though its folder is written all the time", async () => {
  const world = await approved("sh .claude/hooks/h.sh", ".claude/hooks/h.sh", "echo good\n");
  const folder = join(world.project, ".claude/hooks");
  flip(join(folder, "log"), "one", "two");
  await until("the folder is written", () => existsSync(join(folder, "log")));
  const engine = await openEngine(world.options);
  const { runs, skipped } = await engine.fire("Stop", {});
  await engine.close();
  expect([skipped, runs.map(({ stdout }) => stdout.trim())]).toEqual([[], ["good"]]);
});

test("a hook whose file is swapped while it starts is ended and reported", async () => {
  const world = await approved("touch ../started; sleep 60; sh .claude/h.sh", ".claude/h.sh", "echo good\n");
  const engine = await openEngine(world.options);
  // The last check of the files comes a second after the start; here, when the test calls it.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const fired = engine.fire("Stop", {});
  await expect.poll(() => existsSync(join(world.project, "../started"))).toBe(true);
  await writeFile(join(world.project, ".claude/h.sh"), "echo bad\n");
  await vi.advanceTimersByTimeAsync(1_000);
  vi.useRealTimers();
  const { runs } = await fired;
  await engine.close();
  expect(runs.map(({ ended }) => ended)).toEqual([
    {
      by: "not-started",
      why: expect.stringContaining("h.sh was changed while the hook was started; the hook was ended"),
    },
  ]);
});
