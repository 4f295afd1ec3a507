import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openWorld } from "../../src/agent/fixtures/agent-run.ts";
import { expectRecorded, heard, once, toldIn } from "./stage.ts";

test("Stop: a block continues with its reason, up to eight times; hooks added at run time count", async () => {
  const world = openWorld({
    hooks: { Stop: { run: once("stopped", `echo '{"decision":"block","reason":"REASON-MARK"}'`) } },
  });
  const { result, requests } = await world.run([{ text: "a" }, { text: "b" }], { prompt: "go" });
  for (const payload of world.payloads("Stop")) expectRecorded("Stop", payload);
  expect(world.payloads("Stop").map((payload) => payload["stop_hook_active"])).toEqual([false, true]);
  expect(requests[1]?.messages.at(-1)).toEqual({ role: "user", content: "Stop hook feedback:\nREASON-MARK" });
  expect(result.result).toBe("b");

  const stubborn = openWorld({ hooks: { Stop: { stderr: "more", exit: 2 } } });
  const capped = await stubborn.run([{ times: 9, text: "again" }], { prompt: "go" });
  expect(stubborn.payloads("Stop")).toHaveLength(9);
  expect(capped.result).toMatchObject({ terminal_reason: "stop_hook_cap", is_error: false });

  const added = openWorld({ hooks: {} });
  const run = await added.run([{ text: "a" }, { text: "b" }], {
    onReady: (control) => {
      control.stopHooks.add({ type: "command", command: once("added", "echo ADDED-MARK >&2; exit 2") });
      control.prompt("go");
      control.end();
    },
  });
  expect(toldIn(run.requests[1])).toContain("ADDED-MARK");
});

test.each([
  [400, "something", "unknown"],
  [400, "prompt is too long: 300000 tokens > 200000 maximum", "invalid_request"],
  [400, "Your credit balance is too low", "billing_error"],
  [401, "no", "authentication_failed"],
  [404, "no such model", "model_not_found"],
  [429, "slow down", "rate_limit"],
  [529, "Overloaded", "server_error"],
])("StopFailure: status %i (%s) is %s", async (status, message, error) => {
  const world = openWorld({ hooks: { StopFailure: {}, Stop: {} } });
  await world.run([{ error: { status, message } }], { prompt: "go" });
  const [payload] = await heard(world, "StopFailure");
  expectRecorded("StopFailure", payload);
  expect([payload?.["error"], world.payloads("Stop")]).toEqual([error, []]);
});

test("StopFailure: fires instead of Stop, and finishes after the agent has exited", async () => {
  const world = openWorld({ hooks: { StopFailure: { run: `sleep 0.7; touch "$HOME/finished"` }, Stop: {} } });
  const cut = await world.run([{ times: 4, text: "long", stopReason: "max_tokens" }], { prompt: "go" });
  expect(cut.result).toMatchObject({ is_error: true, terminal_reason: "api_error" });
  expect(existsSync(join(world.home, "finished"))).toBe(false);
  await expect.poll(() => existsSync(join(world.home, "finished")), { timeout: 5_000 }).toBe(true);
  const [payload] = await heard(world, "StopFailure");
  expectRecorded("StopFailure", payload);
  expect([payload?.["error"], world.payloads("Stop")]).toEqual(["max_output_tokens", []]);
});
