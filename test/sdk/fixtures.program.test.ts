import { afterAll, beforeAll, expect, test } from "vitest";
import { type EventName, eventNames } from "../../src/protocol/internal.ts";
import { fixtures, isSynthetic, testClient } from "../../src/sdk/testing/index.ts";
import { type DaemonWorld, openDaemonWorld } from "../daemon/world.ts";

let world: DaemonWorld;
beforeAll(async () => {
  world = await openDaemonWorld();
});
afterAll(() => world.remove());

/** Says something to every event, in whatever way the event takes: refusals, words for the model, and fields as they are. */
const body = `
for (const name of names) {
  app.on(name, { name: "all" }, (event) => [
    sdk.systemMessage("seen " + event.name),
    sdk.context("about " + event.sessionId),
    sdk.watchPaths("/a"),
    sdk.display("shown"),
    sdk.worktree("/w"),
    sdk.elicit("accept", { n: 1 }),
    sdk.patchInput({ extra: true }),
    ...(event.name.startsWith("Pre") || event.name === "Stop" ? [sdk.deny("no " + event.name)] : []),
  ]);
}
app.on("PermissionRequest", () => sdk.approvePermission({ input: { command: "true" } }));
`;

interface Told {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

test("every recorded payload gets the same bytes from the test client, from run and from the daemon", async () => {
  const head = `import * as sdk from "hookline/sdk";\nconst names = ${JSON.stringify(eventNames)};\n`;
  const file = world.file("all.mjs", `${head}const app = sdk.createApp();\n${body}\nexport default app;\n`);
  const sdk = await import("../../src/sdk/index.ts");
  const app = sdk.createApp({ log: false });
  new Function("sdk", "app", "names", body)(sdk, app, eventNames);
  const client = testClient(app);
  await world.serve(file);
  const answers = async (name: EventName) => {
    const payload = fixtures[name]() as unknown as Record<string, unknown>;
    const { exitCode: code, stdout, stderr } = await client.raw(payload);
    const text = JSON.stringify(payload);
    // Messages about dropped answers come with the answer; the test client has them as warnings.
    const told = ({ code, stdout, stderr }: Told) => ({
      code,
      stdout,
      stderr: stderr.replace(/^hookline: .*\n/gm, ""),
    });
    expect(stdout + stderr, name).not.toBe("");
    return {
      name,
      client: { code, stdout, stderr },
      run: told(await world.cli(["run", file], { input: text })),
      daemon: told(await world.client([file], `${text}\n`)),
    };
  };
  for (let at = 0; at < eventNames.length; at += 4) {
    for (const { name, client, run, daemon } of await Promise.all(eventNames.slice(at, at + 4).map(answers))) {
      expect({ run, daemon }, name).toEqual({ run: client, daemon: client });
    }
  }
  // The daemon answers first and writes then.
  await expect.poll(() => world.log().length, { timeout: 5_000 }).toBe(2 * eventNames.length);
  const records = world.log();
  // One version and one source: the log tells code apart, not the way to it.
  expect(new Set(records.map(({ version, source }) => `${version} ${source}`)).size).toBe(1);
  expect(records[0]).toMatchObject({
    source: expect.stringMatching(/^[0-9a-f]{64}$/),
    version: expect.stringMatching(/^\d/),
  });
  const transports = records.map(({ transport }) => transport);
  expect(transports.sort()).toEqual([...eventNames.map(() => "client"), ...eventNames.map(() => "run")]);
  expect(eventNames.filter(isSynthetic).sort()).toEqual(["DirectoryAdded", "PostModelSwitch", "PreModelSwitch"]);
});
