import { expect, onTestFinished, test } from "vitest";
import { eventNames } from "../../protocol/internal.ts";
import { eventRule } from "../answer/event-rules.ts";
import { createApp, deny, systemMessage } from "../index.ts";
import { fixtures, readRecorded, testClient, testProject } from "./index.ts";

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

test("the arguments of a method are where the event has them, and changes come last", async () => {
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

test("the test client refuses an event, a field and a member of the context that do not exist, and names the nearest", async () => {
  const client = testClient(createApp().provide("clock", () => 1));
  await expect(client.send("PreTolUse" as never)).rejects.toThrow(
    '"PreTolUse" is not an event. Did you mean "PreToolUse"?',
  );
  const misspelled = { sesion_id: "s" } as never;
  const refused = 'Stop has no field "sesion_id". Did you mean "session_id"? raw() sends any payload.';
  await expect(client.stop(misspelled)).rejects.toThrow(refused);
  await expect(client.preTool("Bash", { command: "ls" }, { sessionId: "s" } as never)).rejects.toThrow(
    'PreToolUse has no field "sessionId". Did you mean "session_id"?',
  );
  expect(() => client.override("stat", 1)).toThrow(
    'The context has no member "stat" to override. Did you mean "state"?',
  );
  expect(client.override("clock", 2).override("git", {})).toBe(client);
});

test("a raw payload without hook_event_name is reported as such", async () => {
  const { warnings } = await testClient(createApp()).raw({ hook_event: "Stop" });
  expect(warnings.map(({ message }) => message)).toEqual(["The event cannot be read: it has no hook_event_name."]);
});

test("recorded payloads of a folder that does not exist are refused with its name", async () => {
  await expect(readRecorded("nope")).rejects.toThrow("The directory of recorded payloads, nope, does not exist.");
});

test("a test project refuses a file outside its folder", async () => {
  const outside = 'The path "../a" leads out of the test project. Nothing was written.';
  await expect(testProject({ "../a": "1" })).rejects.toThrow(outside);
  const project = await testProject({ "a/b": "1" });
  onTestFinished(() => project.remove());
  await expect(project.write("../a", "1")).rejects.toThrow(outside);
  expect(await project.read("a/b")).toBe("1");
});

test("each use of a fixture is a new copy", () => {
  const one = fixtures.PreToolUse();
  (one.tool_input as Record<string, unknown>)["command"] = "changed";
  expect(fixtures.PreToolUse().tool_input).not.toEqual(one.tool_input);
  expect(fixtures.PreToolUse({ tool_name: "Read" }).tool_name).toBe("Read");
});

test("a payload without a tool name is denied under block, as a process would", async () => {
  const client = testClient(createApp({ onFailure: "block" }).preTool("Bash", () => deny("x")));
  const message = "The event cannot be read: tool_name is missing; PreToolUse needs it.";
  expect(await client.raw({ hook_event_name: "PreToolUse", tool_input: { command: "ls" } })).toMatchObject({
    decision: "deny",
    reason: message,
    exitCode: 2,
    warnings: [{ code: "app-failed", message }],
  });
});
