import { expect, expectTypeOf, test } from "vitest";
import { recordedPayloads } from "../../../test/fixtures/payloads/read.ts";
import { createApp, isTool, mapOutput, type ToolInputs, type ToolResponses, updateOutput } from "../index.ts";
import { testClient } from "../testing/index.ts";

declare module "hookline/sdk" {
  interface ToolInputs {
    mcp__github__create_issue: { readonly title: string; readonly labels?: readonly string[] };
  }
  interface ToolResponses {
    mcp__github__create_issue: { readonly number: number };
  }
}

test("the tools of hosts have typed inputs", () => {
  const named: readonly (keyof ToolInputs)[] = [
    ...(["Bash", "Write", "Read", "Edit", "MultiEdit", "NotebookEdit", "Grep", "Glob", "Agent", "Task"] as const),
    ...(["WebSearch", "WebFetch", "Skill", "TaskCreate", "TaskUpdate", "AskUserQuestion", "ExitPlanMode"] as const),
  ];
  expect(new Set(named).size).toBe(17);
});

/** Keys of a type: those it needs, and those it may have. The compiler sees to it that they are keys. */
type Keys<Type> = readonly [needed: readonly (keyof Type)[], others?: readonly (keyof Type)[]];

const inputs: { readonly [Tool in keyof ToolInputs]?: Keys<ToolInputs[Tool]> } = {
  Bash: [["command"], ["description", "run_in_background"]],
  Read: [["file_path"]],
  Write: [["file_path", "content"]],
  Edit: [["file_path", "old_string", "new_string"], ["replace_all"]],
  NotebookEdit: [["notebook_path", "new_source"], ["cell_id"]],
  Agent: [["description", "prompt"], ["subagent_type"]],
  Skill: [["skill"]],
  TaskCreate: [["subject"], ["description", "activeForm"]],
  TaskUpdate: [["taskId"], ["status"]],
  TaskGet: [["taskId"]],
  TaskList: [[]],
  CronCreate: [["cron", "prompt"], ["recurring"]],
  EnterWorktree: [[], ["name"]],
  ExitWorktree: [["action"], ["discard_changes"]],
  AskUserQuestion: [["questions"], ["answers", "annotations"]],
};

const responses: { readonly [Tool in keyof ToolResponses]?: Keys<ToolResponses[Tool]> } = {
  Bash: [
    ["stdout", "stderr", "interrupted"],
    ["isImage", "noOutputExpected", "backgroundTaskId"],
  ],
  Read: [["type", "file"]],
  Write: [["type", "filePath", "content", "originalFile", "structuredPatch"], ["userModified"]],
  Edit: [
    ["filePath", "oldString", "newString", "originalFile", "structuredPatch"],
    ["userModified", "replaceAll"],
  ],
  NotebookEdit: [
    ["new_source", "old_source", "cell_type", "edit_mode", "notebook_path"],
    ["language", "cell_id", "error", "original_file", "updated_file"],
  ],
  Agent: [
    ["status"],
    [
      "prompt",
      "agentId",
      "agentType",
      "content",
      "resolvedModel",
      "totalDurationMs",
      "totalTokens",
      "totalToolUseCount",
      "usage",
    ],
  ],
  Skill: [["success", "commandName"]],
  TaskCreate: [["task"]],
  TaskUpdate: [["success", "taskId", "updatedFields"], ["statusChange"]],
  TaskGet: [["task"]],
  TaskList: [["tasks"]],
  CronCreate: [["id", "humanSchedule", "recurring", "durable"]],
  EnterWorktree: [["worktreePath", "message"]],
  ExitWorktree: [["action", "originalCwd", "worktreePath", "discardedFiles", "discardedCommits", "message"]],
  AskUserQuestion: [["questions", "answers"], ["annotations"]],
};

test("recorded inputs and responses have the keys that their types need, and no others than they name", () => {
  const wrong: string[] = [];
  const compare = (tool: string, keys: Keys<never> | undefined, recorded: object) => {
    const [needed, others = []] = (keys ?? [[]]) as readonly (readonly string[])[];
    for (const key of needed ?? []) if (!(key in recorded)) wrong.push(`${tool} lacks ${key}`);
    for (const key of Object.keys(recorded)) {
      if (keys === undefined || ![...(needed ?? []), ...others].includes(key)) wrong.push(`${tool} has ${key}`);
    }
  };
  const seen = new Set<string>();
  for (const { payload } of [...recordedPayloads("PreToolUse"), ...recordedPayloads("PostToolUse")]) {
    const { tool_name: tool, tool_input: input, tool_response: response } = payload as unknown as Recorded;
    if (tool.startsWith("mcp__")) continue;
    seen.add(tool);
    compare(`${tool} input`, inputs[tool], input);
    if (response !== undefined) compare(`${tool} response`, responses[tool as keyof ToolResponses], response);
  }
  expect([...new Set(wrong)]).toEqual([]);
  expect(seen.size).toBeGreaterThan(12);
});

interface Recorded {
  readonly tool_name: keyof ToolInputs;
  readonly tool_input: object;
  readonly tool_response?: object;
}

test("a tool that an author describes narrows like a built-in one", async () => {
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

test("a new output is typed by its tool", () => {
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

test("mapOutput reaches every text, also in a response that is a list", async () => {
  const app = createApp().postTool(() => mapOutput((text) => text.toUpperCase()));
  const { output } = await testClient(app).postTool("mcp__a__b", {}, [{ type: "text", text: "a", n: 1 }, null, "b"]);
  expect(output).toEqual({ updatedToolOutput: [{ type: "TEXT", text: "A", n: 1 }, null, "B"] });
});
