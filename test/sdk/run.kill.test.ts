import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BundledPackage, bundlePackage } from "./bundled.ts";
import { app, event } from "./guard-app.ts";

let world: BundledPackage;
beforeAll(async () => {
  world = await bundlePackage();
});
afterAll(() => world.remove());

test("twelve processes count to twelve; ids never become paths", async () => {
  const file = world.file(
    "count.mjs",
    app(
      `app.onPrompt(async (_event, { state }) => { await state.update("n", (n) => n + 1); });
       app.onStop(async (_event, { state }) => sdk.block(String(await state.get("n"))));`,
      "{ state: { session: { n: 0 } } }",
    ),
  );
  const session_id = "../../../escaped";
  const prompt = event({ hook_event_name: "UserPromptSubmit", prompt: "hi", session_id });
  const ran = await Promise.all(Array.from({ length: 12 }, () => world.run([file], prompt)));
  expect(ran.map(({ stderr }) => stderr).filter((text) => text !== "")).toEqual([]);
  const { stdout } = await world.run([file], event({ hook_event_name: "Stop", session_id }));
  expect(JSON.parse(stdout)).toEqual({ decision: "block", reason: "12" });
  const names = readdirSync(join(world.folder, "state/state/session")).filter((name) => name.endsWith(".json"));
  expect(names).toEqual([expect.stringMatching(/^h-[0-9a-f]{64}\.json$/)]);
  expect(readdirSync(world.folder).sort()).not.toContain("escaped");
});
