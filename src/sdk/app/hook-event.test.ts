import { expect, expectTypeOf, test } from "vitest";
import { createApp, isTool } from "../index.ts";
import { testClient } from "../testing/index.ts";
import { readEvent } from "./hook-event.ts";

test("the envelope is camelCase, a tool's data keeps its keys, unknown fields are kept, and nothing can be changed", () => {
  const payload = {
    ...{
      session_id: "s",
      hook_event_name: "PostToolUse",
      tool_name: "Write",
      tool_use_id: "t",
      stop_hook_active: true,
    },
    ...{ tool_input: { file_path: "a" }, tool_response: { old_text: ["b"] }, new_field_2: { inner_key: 1 } },
  };
  const text = JSON.stringify(payload);
  const event = readEvent(payload);
  expect(event).toEqual({
    ...{ name: "PostToolUse", sessionId: "s", toolName: "Write", toolUseId: "t", stopHookActive: true },
    ...{ input: { file_path: "a" }, response: { old_text: ["b"] }, newField2: { inner_key: 1 } },
    raw: payload,
  });
  expect([event.raw, JSON.stringify(event.raw)]).toEqual([payload, text]);
  const parts = [event, event.raw, event["input"], event["response"], payload.tool_response.old_text];
  expect(parts.filter((part) => !Object.isFrozen(part))).toEqual([]);
});

test("any payload can be read, however odd", () => {
  let deep: unknown = "end";
  for (let i = 0; i < 50_000; i++) deep = [deep];
  const payload = { hook_event_name: "X", tool_input: null, cwd: 7, session_id: 8, constructor: 9, deep };
  Object.defineProperty(payload, "__proto__", { value: { polluted: true }, enumerable: true });
  const event = readEvent(payload);
  expect([event.name, event["input"], event.cwd, event.sessionId]).toEqual(["X", null, undefined, "8"]);
  expect([event["polluted"], Object.getPrototypeOf(event)]).toEqual([undefined, Object.prototype]);
  expect(readEvent({}).name).toBe("undefined");
});

test("a tool's response is typed and kept like its input", async () => {
  const app = createApp()
    .postTool(["Bash", "Skill"], (event) => {
      if (event.toolName === "Bash") expectTypeOf(event.response.stdout).toEqualTypeOf<string>();
      else expectTypeOf(event.response.success).toEqualTypeOf<boolean>();
    })
    .postTool((event) => {
      expectTypeOf(event.input).toEqualTypeOf<Readonly<Record<string, unknown>>>();
      expectTypeOf(event.response).toEqualTypeOf<unknown>();
      if (isTool(event, "Skill")) expectTypeOf(event.response.success).toEqualTypeOf<boolean>();
    })
    .preTool(["Bash", "mcp__github__*"], ({ input }) => {
      expectTypeOf(input).toEqualTypeOf<Readonly<Record<string, unknown>>>();
    });
  (await testClient(app).postTool("Skill", { skill: "x" }, { success: true, commandName: "x" })).expectNoOpinion();
});

test("Task and Agent are the same tool, in types and at run time", async () => {
  const seen: string[] = [];
  const app = createApp().preTool(["Task", "Bash"], (event) => {
    if (event.toolName === "Bash") return;
    expectTypeOf(event.toolName).toEqualTypeOf<"Agent" | "Task">();
    if (event.toolName === "Agent") seen.push(event.input.prompt);
  });
  await testClient(app).preTool("Agent", { description: "d", prompt: "p" });
  const open = createApp().preTool((event) => void (isTool(event, "Task") && seen.push(event.input.description)));
  await testClient(open).preTool("Agent", { description: "d", prompt: "p" });
  expect(seen).toEqual(["p", "d"]);
});
