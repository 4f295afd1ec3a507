import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../until.ts";
import { command, on, openIn } from "./world.ts";

const waits = "touch started; until [ -e go ]; do sleep 0.02; done; touch made";

test("notify returns at once; its hooks run in the background", async () => {
  const { engine, project } = await openIn(on("Notification", command(waits, { timeout: 20 })));
  engine.notify("Notification", { message: "hello", notification_type: "idle_prompt" });
  expect(existsSync(join(project, "started"))).toBe(false);
  await until("started is there", () => existsSync(join(project, "started")));
  expect(engine.background.list()).toMatchObject([{ hook: { event: "Notification" }, state: "running" }]);
  writeFileSync(join(project, "go"), "");
  await until("made is there", () => existsSync(join(project, "made")));
});

test("closing ends hooks of notify, but leaves those of a detached event alive", async () => {
  const settings = {
    hooks: {
      ...on("CwdChanged", "touch a; until [ -e go ]; do sleep 0.02; done; touch a-made").hooks,
      ...on("StopFailure", waits).hooks,
    },
  };
  const { engine, project } = await openIn(settings);
  engine.notify("CwdChanged", {});
  engine.notify("StopFailure", { error: "rate_limit" });
  await until("both have started", () => existsSync(join(project, "a")) && existsSync(join(project, "started")));
  await engine.close();
  writeFileSync(join(project, "go"), "");
  await until("made is there", () => existsSync(join(project, "made")));
  expect(existsSync(join(project, "a-made"))).toBe(false);
});

test("fire waits, whatever the row says", async () => {
  const { engine } = await openIn(on("StopFailure", "echo noted"));
  const { runs } = await engine.fire("StopFailure", { error: "rate_limit" });
  expect(runs).toMatchObject([{ background: false, stdout: "noted\n" }]);
});

test("a wrong call throws at once; what happens later is a warning", async () => {
  const { engine } = await openIn({});
  expect(() => engine.notify("Nothing" as "Stop", {})).toThrow('"Nothing" is not an event');
  engine.notify("PermissionDenied", {} as never);
  await new Promise((resolve) => setImmediate(resolve));
  const { warnings } = await engine.fire("Stop", {});
  expect(warnings.map(({ message }) => message).join()).toContain("tool_name is missing; PermissionDenied needs it");
});
