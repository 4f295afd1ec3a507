import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { app, type DaemonWorld, openDaemonWorld } from "./world.ts";

const rounds = Math.min(100, Number(process.env["HOOKLINE_TRIALS"] ?? 3));
let world: DaemonWorld;
beforeAll(async () => {
  world = await openDaemonWorld();
});
afterAll(async () => {
  await sleep(1_000);
  await world.remove();
});

const env = { HOOKLINE_WORKER_IDLE_MS: "500" };
const prompt = (text: string, session = "s") => ({
  hook_event_name: "UserPromptSubmit",
  session_id: session,
  cwd: world.project,
  prompt: text,
});
const contextIn = (text: string) =>
  (JSON.parse(text) as { hookSpecificOutput?: { additionalContext?: string } }).hookSpecificOutput?.additionalContext;

test("a slow job does not delay the hook; a later event gets its result", async () => {
  const file = world.file(
    "slow.mjs",
    app(`const slow = app.task("slow", async (text) => { await new Promise((done) => setTimeout(done, 3000)); return text + " done"; });
         app.onPrompt(async ({ prompt }, { tasks }) => {
           if (prompt === "go") await tasks.add(slow, "work");
           return sdk.context(JSON.stringify((await tasks.pop(slow))?.value ?? null));
         });`),
  );
  const { pid } = await world.serve(file);
  const begun = performance.now();
  expect(contextIn((await world.post(file, prompt("go"))).text)).toBe("null");
  expect(performance.now() - begun).toBeLessThan(2_500);
  await sleep(4_000);
  // One asks the daemon, the other is a process of its own: the result is handed out once.
  const [warm, cold] = await Promise.all([
    world.post(file, prompt("again")),
    world.cli(["run", file], { input: JSON.stringify(prompt("again")), env }),
  ]);
  expect([contextIn(warm.text), contextIn(cold.stdout)].sort()).toEqual(['"work done"', "null"]);
  expect((await world.serve(file)).pid).toBe(pid);
});

test("twelve requests to one daemon, and six with six processes beside them, end with twelve", async () => {
  const file = world.file(
    "count.mjs",
    app(
      `app.onPrompt(async (_event, { state }) => sdk.context(String(await state.update("n", (n) => n + 1))));`,
      "{ state: { session: { n: 0 } } }",
    ),
  );
  await world.serve(file);
  const warm = async (session: string) => contextIn((await world.post(file, prompt("x", session))).text);
  const cold = async (session: string) =>
    contextIn((await world.cli(["run", file], { input: JSON.stringify(prompt("x", session)) })).stdout);
  const twelve = Array.from({ length: 12 }, (_, n) => String(n + 1)).sort();
  for (let round = 0; round < rounds; round++) {
    expect((await Promise.all(Array.from({ length: 12 }, () => warm(`warm ${round}`)))).sort()).toEqual(twelve);
  }
  for (let round = 0; round < Math.max(1, rounds / 3); round++) {
    const both = Array.from({ length: 12 }, (_, n) => (n % 2 ? warm : cold)(`both ${round}`));
    expect((await Promise.all(both)).sort()).toEqual(twelve);
  }
});
