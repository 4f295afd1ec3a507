import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { app, contextIn, type DaemonWorld, openDaemonWorld, promptEvent } from "./world.ts";

let world: DaemonWorld;
beforeAll(async () => {
  world = await openDaemonWorld();
});
afterAll(async () => {
  await sleep(1_000);
  await world.remove();
});

const env = { HOOKLINE_WORKER_IDLE_MS: "500" };

test("a slow job does not delay the hook; a later event gets its result", async () => {
  const gate = join(world.project, "gate");
  const file = world.file(
    "slow.mjs",
    app(`import { existsSync } from "node:fs";
         const slow = app.task("slow", async (text) => {
           while (!existsSync(${JSON.stringify(gate)})) await new Promise((done) => setTimeout(done, 20));
           return text + " done";
         });
         app.onPrompt(async ({ prompt }, { tasks }) => {
           if (prompt === "go") await tasks.add(slow, "work");
           else await tasks.wait(slow, { timeoutMs: 20_000 });
           return sdk.context(JSON.stringify((await tasks.pop(slow))?.value ?? null));
         });`),
  );
  const { pid } = await world.serve(file);
  expect(contextIn((await world.post(file, promptEvent(world, "go"))).text)).toBe("null");
  writeFileSync(gate, "");
  // The daemon answers one, a process of its own the other: the result is given to one of them.
  const [warm, cold] = await Promise.all([
    world.post(file, promptEvent(world, "again")),
    world.cli(["run", file], { input: JSON.stringify(promptEvent(world, "again")), env }),
  ]);
  expect([contextIn(warm.text), contextIn(cold.stdout)].sort()).toEqual(['"work done"', "null"]);
  expect((await world.serve(file)).pid).toBe(pid);
});
