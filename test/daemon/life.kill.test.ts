import { afterAll, beforeAll, expect, test } from "vitest";
import { daemonStatus } from "../../src/daemon/internal.ts";
import { sized } from "../size.ts";
import { until } from "../until.ts";
import { type DaemonWorld, daemonsOf, denial, event, guard, openDaemonWorld } from "./world.ts";

let world: DaemonWorld;
beforeAll(async () => {
  world = await openDaemonWorld();
});
afterAll(() => world.remove());

test("many starts at once end with one daemon, and every call is answered", async () => {
  const file = world.file("many.mjs", guard);
  const calls = Array.from({ length: sized(8, 30) }, () => world.client([file], event()));
  const starts = Array.from({ length: sized(4, 20) }, () => world.serve(file));
  expect(new Set((await Promise.all(calls)).map(({ stdout }) => stdout))).toEqual(new Set([denial("no")]));
  const pids = new Set((await Promise.all(starts)).map(({ pid }) => pid));
  expect(pids.size).toBe(1);
  // Starts that clients left behind look at the record and go.
  await until("the others have gone", () => daemonsOf(world).length === 1);
  expect(daemonsOf(world)).toEqual([...pids]);
  const second = await world.cli(["serve", file, "--foreground"]);
  expect([second.code, second.stderr]).toEqual([3, expect.stringContaining("another daemon")]);
  expect((await daemonStatus(file, { env: world.env }))?.pid).toBe([...pids][0]);
});
