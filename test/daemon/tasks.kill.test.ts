import { afterAll, beforeAll, expect, test } from "vitest";
import { sized } from "../size.ts";
import { app, contextIn, type DaemonWorld, openDaemonWorld, promptEvent } from "./world.ts";

const rounds = sized(10, 100);
let world: DaemonWorld;
beforeAll(async () => {
  world = await openDaemonWorld();
});
afterAll(() => world.remove());

test("requests to one daemon, also together with other processes, lose no update of the state", async () => {
  const file = world.file(
    "count.mjs",
    app(
      `app.onPrompt(async (_event, { state }) => sdk.context(String(await state.update("n", (n) => n + 1))));`,
      "{ state: { session: { n: 0 } } }",
    ),
  );
  await world.serve(file);
  const warm = async (session: string) => contextIn((await world.post(file, promptEvent(world, "x", session))).text);
  const cold = async (session: string) =>
    contextIn((await world.cli(["run", file], { input: JSON.stringify(promptEvent(world, "x", session)) })).stdout);
  const twelve = Array.from({ length: 12 }, (_, n) => String(n + 1)).sort();
  for (let round = 0; round < rounds; round++) {
    expect((await Promise.all(Array.from({ length: 12 }, () => warm(`warm ${round}`)))).sort()).toEqual(twelve);
  }
  for (let round = 0; round < Math.max(1, rounds / 3); round++) {
    const both = Array.from({ length: 12 }, (_, n) => (n % 2 ? warm : cold)(`both ${round}`));
    expect((await Promise.all(both)).sort()).toEqual(twelve);
  }
});
