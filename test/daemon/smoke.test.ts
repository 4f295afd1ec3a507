import { writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../until.ts";
import { app, denial, event, isServed, openDaemonWorld } from "./world.ts";

/** The limits of the client and the compiled form are shown in the part `daemon`. */
test("the first call starts a daemon that answers later calls, loads saved changes, and ends on serve --stop", async () => {
  const world = await openDaemonWorld();
  onTestFinished(() => world.remove());
  const hooks = (reason: string) => app(`app.preTool("Bash", () => sdk.deny("${reason}"));`);
  const answer = (reason: string) => ({ code: 0, stdout: denial(reason) });
  const file = world.file("smoke.mjs", hooks("first"));
  expect(await world.client([file], event())).toMatchObject(answer("first"));
  await until("a daemon answers", () => isServed(world, file));
  expect(await world.client([file], event())).toMatchObject(answer("first"));
  const warm = await world.post(file, JSON.parse(event()));
  expect([warm.status, warm.text]).toEqual([200, denial("first")]);
  writeFileSync(file, hooks("saved"));
  expect(await world.client([file], event())).toMatchObject(answer("saved"));
  expect((await world.cli(["serve", file, "--stop"])).code).toBe(0);
  expect(await isServed(world, file)).toBe(false);
});
