import { afterAll, beforeAll, expect, test } from "vitest";
import { type EventName, eventNames } from "../../src/protocol/index.ts";
import { fixtures, isSynthetic, testClient } from "../../src/sdk/testing/index.ts";
import { type BundledPackage, bundlePackage } from "./bundled.ts";

let world: BundledPackage;
beforeAll(async () => {
  world = await bundlePackage();
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

test("SD-102: every recorded payload gets the same bytes from the test client and from run", async () => {
  const file = world.file(
    "all.mjs",
    `import * as sdk from "hookline/sdk";
const names = ${JSON.stringify(eventNames)};
const app = sdk.createApp({ log: false });
${body}
export default app;
`,
  );
  const sdk = await import("../../src/sdk/index.ts");
  const app = sdk.createApp({ log: false });
  new Function("sdk", "app", "names", body)(sdk, app, eventNames);
  const client = testClient(app);
  const ran = async (name: EventName) => {
    const payload = fixtures[name]() as unknown as Record<string, unknown>;
    const one = await client.raw(payload);
    const other = await world.run([file], JSON.stringify(payload));
    return {
      client: { code: one.exitCode, stdout: one.stdout },
      run: { code: other.code, stdout: other.stdout },
    };
  };
  const silent: string[] = [];
  for (let at = 0; at < eventNames.length; at += 4) {
    for (const [n, pair] of (await Promise.all(eventNames.slice(at, at + 4).map(ran))).entries()) {
      expect(pair.run, eventNames[at + n]).toEqual(pair.client);
      if (pair.client.stdout === "" && pair.client.code === 0) silent.push(eventNames[at + n] ?? "");
    }
  }
  // Of these the host reads nothing, or a text that this app does not give.
  expect(silent).toEqual([]);
  expect(eventNames.filter(isSynthetic).sort()).toEqual(["DirectoryAdded", "PostModelSwitch", "PreModelSwitch"]);
});
