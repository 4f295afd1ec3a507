import { type Tool, toolSuccess } from "../tool.ts";
import { listTasks, loadTask, type StoredTask } from "./task-store.ts";

interface ListedTask {
  readonly id: string;
  readonly subject: string;
  readonly status: string;
  readonly owner?: string;
  readonly blockedBy: readonly string[];
}

export const taskListTool: Tool = {
  name: "TaskList",
  description: "Lists the tasks of the session.",
  readOnly: true,
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  responseSchema: {
    type: "object",
    required: ["tasks"],
    properties: {
      tasks: { type: "array", items: { type: "object", required: ["id", "subject", "status", "blockedBy"] } },
    },
  },
  render(response) {
    const { tasks } = response as { tasks: readonly ListedTask[] };
    return tasks.length === 0 ? "No tasks found" : tasks.map(lineOf).join("\n");
  },
  async run(_, { paths }) {
    const all = await listTasks(paths.tasks);
    const open = new Set(all.filter(({ status }) => status !== "completed").map(({ id }) => id));
    const tasks = all.map(({ id, subject, status, owner, blockedBy }) => ({
      id,
      subject,
      status,
      ...(owner === undefined ? {} : { owner }),
      blockedBy: blockedBy.filter((other) => open.has(other)),
    }));
    return toolSuccess(taskListTool, { tasks });
  },
};

export const taskGetTool: Tool = {
  name: "TaskGet",
  description: "Gives one task of the session with its description.",
  readOnly: true,
  inputSchema: {
    type: "object",
    properties: { taskId: { type: "string", description: "The task's number" } },
    required: ["taskId"],
    additionalProperties: false,
  },
  responseSchema: { type: "object", required: ["task"], properties: { task: { type: ["object", "null"] } } },
  render(response) {
    const { task } = response as { task: StoredTask | null };
    if (task === null) return "Task not found";
    const bonds = [
      ...(task.blockedBy.length > 0 ? [`Blocked by: ${marked(task.blockedBy)}`] : []),
      ...(task.blocks.length > 0 ? [`Blocks: ${marked(task.blocks)}`] : []),
    ];
    return [
      `Task #${task.id}: ${task.subject}`,
      `Status: ${task.status}`,
      `Description: ${task.description}`,
      ...bonds,
    ].join("\n");
  },
  async run(input, { paths }) {
    const task = await loadTask(paths.tasks, String(input["taskId"]));
    if (task === undefined) return toolSuccess(taskGetTool, { task: null });
    const { id, subject, description, status, blocks, blockedBy } = task;
    return toolSuccess(taskGetTool, { task: { id, subject, description, status, blocks, blockedBy } });
  },
};

function lineOf({ id, subject, status, owner, blockedBy }: ListedTask): string {
  const whose = owner === undefined ? "" : ` (${owner})`;
  const waits = blockedBy.length === 0 ? "" : ` [blocked by ${marked(blockedBy)}]`;
  return `#${id} [${status}] ${subject}${whose}${waits}`;
}

function marked(ids: readonly string[]): string {
  return ids.map((id) => `#${id}`).join(", ");
}
