import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BundledPackage, bundlePackage } from "./bundled.ts";

let world: BundledPackage;
beforeAll(async () => {
  world = await bundlePackage();
});
afterAll(async () => {
  // Workers end by themselves soon after their last job.
  await sleep(1_000);
  world.remove();
});

const env = { HOOKLINE_WORKER_IDLE_MS: "300" };
const event = (fields: object) => JSON.stringify({ session_id: "s", cwd: world.project, ...fields });
const prompt = (text: string, fields: object = {}) =>
  event({ hook_event_name: "UserPromptSubmit", prompt: text, ...fields });
const app = (body: string) =>
  `import * as sdk from "hookline/sdk";\nconst app = sdk.createApp();\n${body}\nexport default app;\n`;
const contextIn = (stdout: string) =>
  stdout === ""
    ? undefined
    : (JSON.parse(stdout) as { hookSpecificOutput: { additionalContext: string } }).hookSpecificOutput
        .additionalContext;

test("SD-119: a job of three seconds does not hold the hook, and an event four seconds later pops its result", async () => {
  const file = world.file(
    "slow.mjs",
    app(`const slow = app.task("slow", async (text) => { await new Promise((done) => setTimeout(done, 3000)); return text + " done"; });
         app.onPrompt("go", () => undefined);
         app.onPrompt(async ({ prompt }, { tasks }) => {
           if (prompt === "go") await tasks.add(slow, "work");
           if (prompt === "idle") return;
           const done = await tasks.pop(slow);
           return sdk.context(JSON.stringify(done?.value ?? null));
         });`),
  );
  await world.run([file], prompt("idle"), { env });
  const normal = await timed(() => world.run([file], prompt("idle"), { env }));
  const adding = await timed(() => world.run([file], prompt("go"), { env }));
  expect(contextIn(adding.value.stdout)).toBe("null");
  expect(adding.value.stderr).toBe("");
  expect(adding.ms - normal.ms).toBeLessThan(500);
  await sleep(4_000);
  const later = await world.run([file], prompt("again"), { env });
  expect(contextIn(later.stdout)).toBe('"work done"');
  expect(contextIn((await world.run([file], prompt("again"), { env })).stdout)).toBe("null");
}, 30_000);

async function timed<Value>(work: () => Promise<Value>): Promise<{ value: Value; ms: number }> {
  const begun = performance.now();
  const value = await work();
  return { value, ms: performance.now() - begun };
}
