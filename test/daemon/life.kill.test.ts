import { afterAll, beforeAll, expect, test } from "vitest";
import { daemonStatus } from "../../src/daemon/index.ts";
import { type DaemonWorld, daemonsOf, denial, event, guard, openDaemonWorld, until } from "./world.ts";

let world: DaemonWorld;
beforeAll(async () => {
  world = await openDaemonWorld();
});
afterAll(() => world.remove());

/** Fifty calls and starts at once at full size. */
const isLong = process.env["HOOKLINE_TRIALS"] !== undefined;

test("many starts at once end with one daemon, and every call is answered", async () => {
  const file = world.file("many.mjs", guard);
  const calls = Array.from({ length: isLong ? 30 : 8 }, () => world.client([file], event()));
  const starts = Array.from({ length: isLong ? 20 : 4 }, () => world.serve(file));
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
