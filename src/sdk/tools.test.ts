import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, expectTypeOf, test } from "vitest";
import { createApp, isTool, mapOutput, type ToolInputs, type ToolResponses, updateOutput } from "./index.ts";
import { testClient } from "./testing/index.ts";

declare module "hookline/sdk" {
  interface ToolInputs {
    mcp__github__create_issue: { readonly title: string; readonly labels?: readonly string[] };
  }
  interface ToolResponses {
    mcp__github__create_issue: { readonly number: number };
  }
}

test("SD-17: the tools of hosts have typed inputs", () => {
  const named: readonly (keyof ToolInputs)[] = [
    ...(["Bash", "Write", "Read", "Edit", "MultiEdit", "NotebookEdit", "Grep", "Glob", "Agent", "Task"] as const),
    ...(["WebSearch", "WebFetch", "Skill", "TaskCreate", "TaskUpdate", "AskUserQuestion", "ExitPlanMode"] as const),
  ];
  expect(new Set(named).size).toBe(17);
});

test("SD-17: recorded responses have the keys that their types promise", () => {
  const promised: { readonly [Tool in keyof ToolResponses]?: readonly (keyof ToolResponses[Tool])[] } = {
    Bash: ["stdout", "stderr", "interrupted"],
    Read: ["type", "file"],
    Write: ["type", "filePath", "content", "originalFile", "structuredPatch"],
    Edit: ["filePath", "oldString", "newString", "originalFile", "structuredPatch"],
    NotebookEdit: ["new_source", "old_source", "cell_type", "edit_mode", "notebook_path"],
    Agent: ["status"],
    Skill: ["success", "commandName"],
    TaskCreate: ["task"],
    TaskUpdate: ["success", "taskId", "updatedFields"],
    TaskGet: ["task"],
    TaskList: ["tasks"],
    CronCreate: ["id", "humanSchedule", "recurring", "durable"],
    EnterWorktree: ["worktreePath", "message"],
    ExitWorktree: ["action", "originalCwd", "worktreePath", "discardedFiles", "discardedCommits", "message"],
    AskUserQuestion: ["questions", "answers"],
  };
  const lines = readFileSync(resolve("test/fixtures/payloads/PostToolUse.jsonl"), "utf8").trimEnd().split("\n");
  const payloads = lines.map((line) => JSON.parse(line) as { tool_name: string; tool_response: object });
  const seen = new Set<string>();
  for (const { tool_name: tool, tool_response: response } of payloads) {
    if (tool.startsWith("mcp__")) continue;
    seen.add(tool);
    const keys = promised[tool as keyof ToolResponses] as readonly string[] | undefined;
    expect(keys, tool).toBeDefined();
    expect(Object.keys(response), tool).toEqual(expect.arrayContaining([...(keys ?? [])]));
  }
  expect(seen.size).toBeGreaterThan(8);
});

test("SD-18: a tool that an author describes narrows like a built-in one", async () => {
  const app = createApp()
    .preTool("mcp__github__create_issue", ({ input }) => void expectTypeOf(input.title).toEqualTypeOf<string>())
    .postTool("mcp__github__create_issue", ({ response }) => {
      expectTypeOf(response.number).toEqualTypeOf<number>();
      return updateOutput({ number: response.number + 1 });
    })
    .preTool((event) => {
      if (isTool(event, "mcp__github__create_issue")) expectTypeOf(event.input.title).toEqualTypeOf<string>();
    });
  const result = await testClient(app).postTool("mcp__github__create_issue", { title: "t" }, { number: 1 });
  expect(result.output).toEqual({ updatedToolOutput: { number: 2 } });
});

test("SD-26: a new output is typed by its tool", () => {
  createApp()
    .postTool("Bash", ({ response }) => updateOutput({ ...response, stdout: "" }))
    .postTool(["Bash", "Skill"], () => updateOutput({ success: true, commandName: "x" }))
    .postTool("Bash", () => mapOutput((text) => text))
    .postTool("Grep", () => updateOutput("of unknown shape"))
    .postTool("mcp__*", () => updateOutput(1))
    // @ts-expect-error a text is no response of Bash
    .postTool("Bash", () => updateOutput("text"))
    // @ts-expect-error neither is one without its keys
    .postTool("Bash", { name: "h" }, () => updateOutput({ stdout: "" }));
});

test("SD-26: mapOutput reaches every text, also in a response that is a list", async () => {
  const app = createApp().postTool(() => mapOutput((text) => text.toUpperCase()));
  const { output } = await testClient(app).postTool("mcp__a__b", {}, [{ type: "text", text: "a", n: 1 }, null, "b"]);
  expect(output).toEqual({ updatedToolOutput: [{ type: "TEXT", text: "A", n: 1 }, null, "B"] });
});
