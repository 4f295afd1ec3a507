import { type Tool, toolError, toolSuccess } from "../tool.ts";
import {
  listTasks,
  loadTask,
  releaseTaskId,
  reserveTaskId,
  type StoredTask,
  withTasks,
  writeTask,
} from "./task-store.ts";

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

interface CreateInput {
  readonly subject: string;
  readonly description: string;
  readonly activeForm?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export const taskCreateTool: Tool = {
  name: "TaskCreate",
  description: "Puts a task on the session's list, to be done later. Use it for work of several steps.",
  readOnly: false,
  inputSchema: {
    type: "object",
    properties: {
      subject: { type: "string", description: "A short title" },
      description: { type: "string", description: "What is to be done" },
      activeForm: { type: "string", description: "What is shown while it is worked on, such as `Running tests`" },
      metadata: { type: "object", description: "Anything else to keep with it" },
    },
    required: ["subject", "description"],
    additionalProperties: false,
  },
  responseSchema: {
    type: "object",
    required: ["task"],
    properties: {
      task: {
        type: "object",
        required: ["id", "subject"],
        properties: { id: { type: "string" }, subject: { type: "string" } },
      },
    },
  },
  render(response) {
    const { task } = response as { task: { id: string; subject: string } };
    return `Task #${task.id} created successfully: ${task.subject}`;
  },
  async run(given, context) {
    const { subject, description, activeForm, metadata } = given as unknown as CreateInput;
    const { signal, paths } = context;
    const id = await withTasks(paths.tasks, signal, () => reserveTaskId(paths.tasks));
    // The lock is not held while hooks think: they may take minutes, and other tasks go on.
    const refused = await context.taskCreated({ id, subject, description });
    if (refused !== undefined) {
      await withTasks(paths.tasks, signal, () => releaseTaskId(paths.tasks, id));
      return toolError(refused.reason);
    }
    const task: StoredTask = {
      id,
      subject,
      description,
      ...(activeForm === undefined ? {} : { activeForm }),
      status: "pending",
      blocks: [],
      blockedBy: [],
      ...(metadata === undefined ? {} : { metadata }),
    };
    await withTasks(paths.tasks, signal, () => writeTask(paths.tasks, task));
    return toolSuccess(taskCreateTool, { task: { id, subject } });
  },
};
