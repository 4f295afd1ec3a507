import { once } from "node:events";
import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { withLock } from "../../files/internal.ts";
import { builtSdk, counter, home, sessionFile, useStateFiles, withState } from "./fixtures/state-files.ts";

useStateFiles();

test("a live owner's lock is never taken; waiting longer than two seconds is state-busy", async () => {
  await withState((state) => state.set("k", 1));
  await withLock(sessionFile("s"), async () => {
    const other = await counter();
    const { error } = await other.add("s");
    other.child.kill("SIGKILL");
    expect(error).toMatch(/^State has been in use by another process for more than 2 s/);
  });
  expect(await withState((state) => state.get("k"))).toBe(1);
});

test.skipIf(!existsSync("/proc/thread-self"))("the lock of a terminated worker is released", async () => {
  const body = `
      const { parentPort, workerData: { built, home } } = require("node:worker_threads");
      import(built).then(({ createApp }) => {
        const hold = () => { parentPort.postMessage("held"); for (;;); };
        const app = createApp().onPrompt((_event, { state }) => state.update("n", hold));
        const payload = { hook_event_name: "UserPromptSubmit", session_id: "ended" };
        app[Symbol.for("hookline.app")].dispatch(payload, { env: { HOOKLINE_HOME: home }, cwd: "/", now: Date.now, complain() {} });
      });`;
  const thread = new Worker(body, { eval: true, workerData: { built: await builtSdk(), home }, execArgv: [] });
  // Rejects when the thread fails.
  await once(thread, "message");
  const add = () => withState((state) => state.update("n", (n = 0) => n + 1), { session: "ended" });
  await expect(add()).rejects.toMatchObject({ code: "sdk/state-busy" });
  await thread.terminate();
  expect(await add()).toBe(1);
});
