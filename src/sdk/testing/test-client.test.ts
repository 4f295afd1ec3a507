import { expect, test } from "vitest";
import { eventNames } from "../../protocol/internal.ts";
import { eventRule } from "../answer/event-rules.ts";
import { createApp, deny, systemMessage } from "../index.ts";
import { fixtures, testClient } from "./index.ts";

test("every event of the catalog has a method, called like the app's without `on`, that sends it", async () => {
  const app = createApp();
  for (const name of eventNames) app.on(name, { name: "hears" }, () => undefined);
  const client = testClient(app) as unknown as Record<string, (...args: unknown[]) => Promise<{ event: string }>>;
  for (const name of eventNames) {
    const { method, tool } = eventRule(name);
    const short = method.replace(/^on(.)/, (_, first: string) => first.toLowerCase());
    const result = await client[short]?.(...(tool ? ["Bash", { command: "ls" }] : []));
    expect(result, short).toMatchObject({ event: name, trace: [{ name: "hears", outcome: "passed" }] });
  }
});

test("what a method is given is where the event has it, and changes come last", async () => {
  const seen: unknown[] = [];
  const app = createApp()
    .preTool(({ input, toolName, sessionId }) => void seen.push([toolName, input, sessionId]))
    .postTool(({ response }) => void seen.push(response))
    .postToolFailure(({ error }) => void seen.push(error))
    .onPrompt(({ prompt, cwd }) => void seen.push([prompt, cwd]))
    .onStop(({ stopHookActive }) => void seen.push(stopHookActive))
    .on("Tomorrow", ({ raw }) => systemMessage(String(raw["colour"])));
  const client = testClient(app);
  await client.preTool("mcp__x__y", { deep: [1] }, { session_id: "s" });
  await client.postTool("Bash", { command: "ls" }, { stdout: "a" });
  await client.postToolFailure("Bash", { command: "ls" }, "Exit code 1");
  await client.prompt("hello", { cwd: "/p" });
  await client.stop({ stop_hook_active: true });
  await client.send("Stop", { stop_hook_active: false });
  expect(seen).toEqual([
    ["mcp__x__y", { deep: [1] }, "s"],
    { stdout: "a" },
    "Exit code 1",
    ["hello", "/p"],
    true,
    false,
  ]);
  const raw = await client.raw({ hook_event_name: "Tomorrow", colour: "red" });
  expect(raw.systemMessages).toEqual(["red"]);
  expect(() => testClient({})).toThrow("testClient needs the value of createApp()");
});

test("a fixture is a copy of its own each time", () => {
  const one = fixtures.PreToolUse();
  (one.tool_input as Record<string, unknown>)["command"] = "changed";
  expect(fixtures.PreToolUse().tool_input).not.toEqual(one.tool_input);
  expect(fixtures.PreToolUse({ tool_name: "Read" }).tool_name).toBe("Read");
});

test("a payload without a tool name is denied under block, as a process would", async () => {
  const client = testClient(createApp({ onFailure: "block" }).preTool("Bash", () => deny("x")));
  const message = "The event cannot be read: tool_name of PreToolUse must be a non-empty string, it is missing.";
  expect(await client.raw({ hook_event_name: "PreToolUse", tool_input: { command: "ls" } })).toMatchObject({
    decision: "deny",
    reason: message,
    exitCode: 2,
    warnings: [{ code: "app-failed", message }],
  });
});
