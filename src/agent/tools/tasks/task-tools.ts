import { defined } from "../../../protocol/internal.ts";
import { inputSchema, objectSchema, plain, type SchemaValue } from "../json-schema.ts";
import { type Tool, toolError, toolSuccess } from "../tool.ts";
import {
  listTasks,
  loadTask,
  releaseTaskId,
  removeTask,
  reserveTaskId,
  type StoredTask,
  withTasks,
  writeTask,
} from "./task-store.ts";

type ListedTask = Pick<StoredTask, "id" | "subject" | "status" | "owner" | "blockedBy">;

export const taskListTool: Tool = {
  name: "TaskList",
  description: "Lists the tasks of the session.",
  readOnly: true,
  inputSchema: inputSchema({}),
  responseSchema: objectSchema({
    tasks: { type: "array", items: { type: "object", required: ["id", "subject", "status", "blockedBy"] } },
  }),
  render(response) {
    const { tasks } = response as { tasks: readonly ListedTask[] };
    return tasks.length === 0 ? "No tasks found" : tasks.map(lineOf).join("\n");
  },
  async run(_, { paths }) {
    const all = await listTasks(paths.tasks);
    const open = new Set(all.filter(({ status }) => status !== "completed").map(({ id }) => id));
    const tasks = all.map(({ id, subject, status, owner, blockedBy }) =>
      defined({ id, subject, status, owner, blockedBy: blockedBy.filter((other) => open.has(other)) }),
    );
    return toolSuccess({ tasks });
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

export const taskGetTool: Tool = {
  name: "TaskGet",
  description: "Returns one task of the session with its description.",
  readOnly: true,
  inputSchema: inputSchema({ taskId: { type: "string", description: "The task's number" } }),
  responseSchema: objectSchema({ task: { type: ["object", "null"] } }),
  render(response) {
    const { task } = response as { task: StoredTask | null };
    if (task === null) return "Task not found";
    const { id, subject, status, description, blockedBy, blocks } = task;
    return [
      `Task #${id}: ${subject}`,
      `Status: ${status}`,
      `Description: ${description}`,
      ...(blockedBy.length > 0 ? [`Blocked by: ${marked(blockedBy)}`] : []),
      ...(blocks.length > 0 ? [`Blocks: ${marked(blocks)}`] : []),
    ].join("\n");
  },
  async run(input, { paths }) {
    const task = await loadTask(paths.tasks, String(input["taskId"]));
    if (task === undefined) return toolSuccess({ task: null });
    const { id, subject, description, status, blocks, blockedBy } = task;
    return toolSuccess({ task: { id, subject, description, status, blocks, blockedBy } });
  },
};

export const taskCreateTool: Tool = {
  name: "TaskCreate",
  description: "Adds a task to the session's list. Use it for work of several steps.",
  readOnly: false,
  inputSchema: inputSchema(
    {
      subject: { type: "string", description: "A short title" },
      description: { type: "string", description: "What is to be done" },
    },
    {
      activeForm: { type: "string", description: "What is shown while it is worked on, such as `Running tests`" },
      metadata: { type: "object", description: "Anything else to keep with it" },
    },
  ),
  responseSchema: objectSchema({ task: objectSchema({ id: plain.string, subject: plain.string }) }),
  render(response) {
    const { task } = response as { task: { id: string; subject: string } };
    return `Task #${task.id} created successfully: ${task.subject}`;
  },
  async run(given, context) {
    const { subject, description, activeForm, metadata } = given as unknown as StoredTask;
    const { signal, paths } = context;
    const id = await withTasks(paths.tasks, signal, () => reserveTaskId(paths.tasks));
    // The lock is not held while hooks run: they may take minutes, and other tasks continue.
    const refused = await context.taskCreated({ id, subject, description });
    if (refused !== undefined) {
      await withTasks(paths.tasks, signal, () => releaseTaskId(paths.tasks, id));
      return toolError(refused);
    }
    const state = { status: "pending", blocks: [], blockedBy: [] } as const;
    const task: StoredTask = defined({ id, subject, description, activeForm, ...state, metadata });
    await withTasks(paths.tasks, signal, () => writeTask(paths.tasks, task));
    return toolSuccess({ task: { id, subject } });
  },
};

const updateInput = inputSchema(
  { taskId: { type: "string", description: "The task's number" } },
  {
    subject: { type: "string", description: "Another title" },
    description: { type: "string", description: "Another description" },
    activeForm: { type: "string", description: "What is shown while it is worked on" },
    status: { enum: ["pending", "in_progress", "completed", "deleted"], description: "The new status" },
    addBlocks: { ...plain.strings, description: "Tasks that wait for this one" },
    addBlockedBy: { ...plain.strings, description: "Tasks that this one waits for" },
    owner: { type: "string", description: "Who does it" },
    metadata: { type: "object", description: "Keys to set; null removes a key" },
  },
);

type UpdateInput = SchemaValue<typeof updateInput>;

const updateResponse = objectSchema(
  { success: plain.boolean, taskId: plain.string, updatedFields: plain.strings },
  { error: plain.string, statusChange: { type: "object", required: ["from", "to"] } },
);

type UpdateResponse = SchemaValue<typeof updateResponse>;

export const taskUpdateTool: Tool = {
  name: "TaskUpdate",
  description:
    "Changes a task of the session's list: its texts, its status (`deleted` removes it), the tasks it waits for.",
  readOnly: false,
  inputSchema: updateInput,
  responseSchema: updateResponse,
  render(response) {
    const { success, taskId, updatedFields, error } = response as UpdateResponse;
    return success ? `Updated task #${taskId} ${updatedFields.join(", ")}` : (error ?? "Task not found");
  },
  async run(given, context) {
    const input = given as UpdateInput;
    const { tasks } = context.paths;
    const before = await loadTask(tasks, input.taskId);
    if (before === undefined) return toolSuccess(failed(input, "Task not found"));
    if (input.status === "completed" && before.status !== "completed") {
      const { id, subject, description } = before;
      const refused = await context.taskCompleted({ id, subject, description });
      if (refused !== undefined) return toolSuccess(failed(input, refused));
    }
    return toolSuccess(await withTasks(tasks, context.signal, () => update(input, tasks)));
  },
};

function failed({ taskId }: UpdateInput, error: string): UpdateResponse {
  return { success: false, taskId, updatedFields: [], error };
}

async function update(input: UpdateInput, folder: string): Promise<UpdateResponse> {
  const { taskId, status, subject, description, activeForm, owner, metadata } = input;
  const task = await loadTask(folder, taskId);
  if (task === undefined) return failed(input, "Task not found");
  const statusChange =
    status === undefined || status === task.status ? {} : { statusChange: { from: task.status, to: status } };
  if (status === "deleted") {
    await removeTask(folder, taskId);
    return { success: true, taskId, updatedFields: ["deleted"], ...statusChange };
  }
  // Writes the other side of a link too. Returns the ids that are new to this task.
  const link = async (others: readonly string[] = [], side: "blocks" | "blockedBy"): Promise<string[]> => {
    const known = side === "blocks" ? task.blockedBy : task.blocks;
    const fresh: string[] = [];
    for (const id of new Set(others)) {
      const other = id === taskId || known.includes(id) ? undefined : await loadTask(folder, id);
      if (other === undefined) continue;
      fresh.push(id);
      await writeTask(folder, { ...other, [side]: [...other[side], taskId] });
    }
    return fresh;
  };
  const blocks = await link(input.addBlocks, "blockedBy");
  const blockedBy = await link(input.addBlockedBy, "blocks");
  const merged = Object.entries({ ...task.metadata, ...metadata }).filter(([, value]) => value !== null);
  const after: StoredTask = {
    ...task,
    ...defined({ subject, description, activeForm, owner, status }),
    ...(metadata === undefined ? {} : { metadata: Object.fromEntries(merged) }),
    blocks: [...task.blocks, ...blocks],
    blockedBy: [...task.blockedBy, ...blockedBy],
  };
  await writeTask(folder, after);
  const fields = fieldOrder.filter((field) => JSON.stringify(task[field]) !== JSON.stringify(after[field]));
  return { success: true, taskId, updatedFields: fields, ...statusChange };
}

const fieldOrder = [
  ...(["subject", "description", "activeForm", "owner", "metadata", "status", "blocks", "blockedBy"] as const),
];
