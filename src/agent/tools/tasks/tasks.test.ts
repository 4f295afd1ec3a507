import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recorded } from "../fixtures/recorded.ts";
import { shapeOf, type ToolWorld, toolWorld } from "../fixtures/world.ts";
import type { Tool } from "../tool.ts";
import { taskCreateTool, taskGetTool, taskListTool, taskUpdateTool } from "./task-tools.ts";

async function say(world: ToolWorld, tool: Tool, input: Record<string, unknown>): Promise<unknown> {
  const { content } = await world.call(tool, input);
  return content;
}

test("responses have the recorded keys and kinds, in the recorded order", async () => {
  const world = toolWorld();
  for (const tool of [taskCreateTool, taskGetTool, taskListTool, taskUpdateTool]) {
    for (const { tool_input, tool_response } of recorded("PostToolUse", tool.name)) {
      const result = await world.call(tool, tool_input as Record<string, unknown>);
      const response = "response" in result ? result.response : undefined;
      expect(shapeOf(response)).toEqual(shapeOf(tool_response));
      expect(JSON.stringify(shapeOf(response))).toBe(JSON.stringify(shapeOf(tool_response)));
    }
  }
});

test("a task is a file of Claude Code's own form", async () => {
  const world = toolWorld();
  await world.call(taskCreateTool, { subject: "T1", description: "d", activeForm: "Doing T1" });
  await world.call(taskUpdateTool, { taskId: "1", status: "in_progress" });
  const written = readFileSync(join(world.context.paths.tasks, "1.json"), "utf8");
  const home = join(import.meta.dirname, "../../../../test/fixtures/transcripts/_home-extras/tasks");
  expect(written).toBe(readFileSync(join(home, "11111111-1111-4111-8111-111111111111/1.json"), "utf8"));
});

test("a list has Claude Code's text", async () => {
  const world = toolWorld();
  expect(await say(world, taskListTool, {})).toBe("No tasks found");
  expect(await say(world, taskCreateTool, { subject: "A", description: "d" })).toBe("Task #1 created successfully: A");
  await world.call(taskCreateTool, { subject: "B", description: "d2" });
  expect(await say(world, taskUpdateTool, { taskId: "2", addBlockedBy: ["1", "1", "2", "77"], subject: "BB" })).toBe(
    "Updated task #2 subject, blockedBy",
  );
  expect(await say(world, taskListTool, {})).toBe("#1 [pending] A\n#2 [pending] BB [blocked by #1]");
  expect(await say(world, taskGetTool, { taskId: "2" })).toBe(
    "Task #2: BB\nStatus: pending\nDescription: d2\nBlocked by: #1",
  );
  expect(await say(world, taskUpdateTool, { taskId: "1", status: "completed", owner: "me" })).toBe(
    "Updated task #1 owner, status",
  );
  expect(await say(world, taskListTool, {})).toBe("#1 [completed] A (me)\n#2 [pending] BB");
  expect(await say(world, taskUpdateTool, { taskId: "1", status: "deleted" })).toBe("Updated task #1 deleted");
  expect(await say(world, taskListTool, {})).toBe("#2 [pending] BB");
  expect(await say(world, taskUpdateTool, { taskId: "9", status: "completed" })).toBe("Task not found");
  expect(await say(world, taskGetTool, { taskId: "1" })).toBe("Task not found");
});

test("a number is not given twice, even when its task was removed", async () => {
  const world = toolWorld();
  await world.call(taskCreateTool, { subject: "A", description: "" });
  await world.call(taskUpdateTool, { taskId: "1", status: "deleted" });
  expect(await say(world, taskCreateTool, { subject: "B", description: "" })).toBe("Task #2 created successfully: B");
});

test("a hook that refuses a task is the tool's error, and there is no task", async () => {
  const world = toolWorld({ taskCreated: async () => "TaskCreated hook feedback:\nno" });
  expect(await world.call(taskCreateTool, { subject: "A", description: "" })).toEqual({
    isError: true,
    content: "TaskCreated hook feedback:\nno",
    interrupted: false,
  });
  expect(await say(world, taskListTool, {})).toBe("No tasks found");
  expect(existsSync(join(world.context.paths.tasks, "1.json"))).toBe(false);
});

test("a hook that refuses the end of a task leaves it open without an error", async () => {
  const world = toolWorld({ taskCompleted: async () => "TaskCompleted hook feedback:\nnot yet" });
  await world.call(taskCreateTool, { subject: "A", description: "" });
  expect(await world.call(taskUpdateTool, { taskId: "1", status: "completed", subject: "X" })).toEqual({
    isError: false,
    content: "TaskCompleted hook feedback:\nnot yet",
    response: { success: false, taskId: "1", updatedFields: [], error: "TaskCompleted hook feedback:\nnot yet" },
  });
  expect(await say(world, taskListTool, {})).toBe("#1 [pending] A");
});

test("tasks made at the same time get numbers of their own", async () => {
  const world = toolWorld();
  await Promise.all(
    Array.from({ length: 9 }, (_, n) => world.call(taskCreateTool, { subject: `${n}`, description: "" })),
  );
  const files = readdirSync(world.context.paths.tasks).filter((name) => name.endsWith(".json"));
  expect(files.length).toBe(9);
});

test("an id that is not a number names no file, and a file that is not a task is skipped", async () => {
  const world = toolWorld();
  await world.call(taskCreateTool, { subject: "A", description: "" });
  const { tasks } = world.context.paths;
  writeFileSync(join(tasks, "..", "x.json"), '{"id":"x","subject":"outside"}');
  writeFileSync(join(tasks, "2.json"), "{ torn");
  writeFileSync(join(tasks, "3.json"), "null");
  expect(await say(world, taskGetTool, { taskId: "../x" })).toBe("Task not found");
  expect(await say(world, taskUpdateTool, { taskId: "../x", status: "deleted" })).toBe("Task not found");
  expect(existsSync(join(tasks, "..", "x.json"))).toBe(true);
  expect(await say(world, taskListTool, {})).toBe("#1 [pending] A");
  expect(await say(world, taskCreateTool, { subject: "B", description: "" })).toBe("Task #4 created successfully: B");
});
