import type { Tool } from "../tool.ts";
import { toolError, toolSuccess } from "../tool.ts";
import { reserveId, returnId, type StoredTask, saveTask, withTasks } from "./task-store.ts";

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
    const id = await withTasks(paths.tasks, signal, () => reserveId(paths.tasks));
    // The lock is not held while hooks think: they may take minutes, and other tasks go on.
    const refused = await context.taskCreated({ id, subject, description });
    if (refused !== undefined) {
      await withTasks(paths.tasks, signal, () => returnId(paths.tasks, id));
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
    await withTasks(paths.tasks, signal, () => saveTask(paths.tasks, task));
    return toolSuccess(taskCreateTool, { task: { id, subject } });
  },
};
