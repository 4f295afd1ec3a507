import { afterAll, beforeAll, expect, test } from "vitest";
import { daemonStatus } from "../../src/daemon/index.ts";
import { app, clientForms, type DaemonWorld, event, openDaemonWorld, until } from "./world.ts";

/** 200 in the long suite. */
const trials = Math.min(200, Number(process.env["HOOKLINE_TRIALS"] ?? 6));

let world: DaemonWorld;
beforeAll(async () => {
  world = await openDaemonWorld();
});
afterAll(() => world.remove());

test(`SD-81: a daemon killed at any moment of a request never turns a deny into an allow, ${trials} times`, async () => {
  const file = world.file(
    "killed.mjs",
    app(`
      const wait = (ms) => new Promise((done) => setTimeout(done, ms));
      app.preTool("Bash", { onFailure: "block" }, async ({ input }) => {
        await wait(Math.random() * 20);
        return sdk.deny("no".repeat(input.long ? 400_000 : 1));
      });`),
  );
  await Promise.all(clientForms.map((form) => world.clientPath(form)));
  let warm = 0;
  for (let trial = 0; trial < trials; trial++) {
    const { pid } = await world.serve(file);
    const before = world.log().length;
    const form = clientForms[trial % clientForms.length] ?? "script";
    const payload = event({ tool_input: { long: trial % 3 === 0 } });
    const call = world.client([file, "--on-failure", "block"], payload, { form });
    await new Promise((done) => setTimeout(done, Math.random() * 60));
    process.kill(pid, "SIGKILL");
    const { code, stdout, stderr } = await call;
    const denied = code === 0 && stdout.includes('"permissionDecision":"deny"') && isJson(stdout);
    expect({ trial, refused: denied || (code === 2 && stdout === ""), stderr }).toEqual({
      trial,
      refused: true,
      stderr: "",
    });
    // A client that found it dead has started another one meanwhile.
    await until("it is gone", async () => (await daemonStatus(file, { env: world.env }))?.pid !== pid);
    if (
      world
        .log()
        .slice(before)
        .every((one) => one["inProcess"] === undefined)
    )
      warm++;
  }
  // Trials are worth something only when the kill hits on both sides of the answer.
  expect(warm).toBeLessThan(trials);
}, 3_600_000);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // cut short
  }
}
