import { afterAll, beforeAll, expect, test } from "vitest";
import { daemonStatus } from "../../src/daemon/internal.ts";
import { randomFrom } from "../fuzz/random.ts";
import { seed, sized } from "../size.ts";
import { until } from "../until.ts";
import { app, type ClientForm, clientForms, type DaemonWorld, event, openDaemonWorld } from "./world.ts";

const trials = sized(24, 200);
const random = randomFrom(seed);

let world: DaemonWorld;
beforeAll(async () => {
  world = await openDaemonWorld();
});
afterAll(() => world.remove());

test(`a daemon killed at any moment of a request never turns a deny into an allow, ${trials} times`, async () => {
  const each = Math.ceil(trials / clientForms.length);
  const warm = await Promise.all(clientForms.map((form) => killed(form, each)));
  // Trials are worth something only when the kill hits before the answer, too.
  for (const times of warm) expect(times).toBeLessThan(each);
});

/** Gives how often the daemon was the faster one. */
async function killed(form: ClientForm, times: number): Promise<number> {
  const file = world.file(
    `${form}-killed.mjs`,
    app(`
      const wait = (ms) => new Promise((done) => setTimeout(done, ms));
      app.preTool("Bash", { onFailure: "block" }, async ({ input }) => {
        await wait(Math.random() * 20);
        return sdk.deny("no".repeat(input.long ? 400_000 : 1));
      });`),
  );
  await world.clientPath(form);
  let warm = 0;
  for (let trial = 0; trial < times; trial++) {
    const { pid } = await world.serve(file);
    const session_id = `${form} ${trial}`;
    const payload = event({ session_id, tool_input: { long: trial % 3 === 0 } });
    const call = world.client([file, "--on-failure", "block"], payload, { form });
    // Spread evenly, so that some kills surely hit before the answer.
    await new Promise((done) => setTimeout(done, ((trial + random.below(100) / 100) / times) * 60));
    process.kill(pid, "SIGKILL");
    const { code, stdout, stderr } = await call;
    const denied = code === 0 && stdout.includes('"permissionDecision":"deny"') && isJson(stdout);
    const refused = denied || (code === 2 && stdout === "");
    expect({ session_id, refused, stderr }).toEqual({ session_id, refused: true, stderr: "" });
    // A client that found it dead has started another one meanwhile.
    await until("it has exited", async () => (await daemonStatus(file, { env: world.env }))?.pid !== pid);
    if (!world.log().some((one) => one["session"] === session_id && one["inProcess"] !== undefined)) warm++;
  }
  return warm;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // cut short
  }
}
