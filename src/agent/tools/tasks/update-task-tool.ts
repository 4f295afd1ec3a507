import { defined } from "../../../protocol/internal.ts";
import { type Tool, type ToolContext, toolSuccess } from "../tool.ts";
import { loadTask, removeTask, type StoredTask, type TaskStatus, withTasks, writeTask } from "./task-store.ts";

interface UpdateInput {
  readonly taskId: string;
  readonly subject?: string;
  readonly description?: string;
  readonly activeForm?: string;
  readonly owner?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly status?: TaskStatus | "deleted";
  readonly addBlocks?: readonly string[];
  readonly addBlockedBy?: readonly string[];
}

interface UpdateResponse {
  readonly success: boolean;
  readonly taskId: string;
  readonly updatedFields: readonly string[];
  readonly error?: string;
  readonly statusChange?: { readonly from: string; readonly to: string };
}

const ids = { type: "array", items: { type: "string" } };

export const taskUpdateTool: Tool = {
  name: "TaskUpdate",
  description: "Changes a task of the session's list: its words, its status (`deleted` removes it), what it waits for.",
  readOnly: false,
  inputSchema: {
    type: "object",
    properties: {
      taskId: { type: "string", description: "The task's number" },
      subject: { type: "string", description: "Another title" },
      description: { type: "string", description: "Another description" },
      activeForm: { type: "string", description: "What is shown while it is worked on" },
      status: { enum: ["pending", "in_progress", "completed", "deleted"], description: "The new status" },
      addBlocks: { ...ids, description: "Tasks that wait for this one" },
      addBlockedBy: { ...ids, description: "Tasks that this one waits for" },
      owner: { type: "string", description: "Who does it" },
      metadata: { type: "object", description: "Keys to set; null takes one away" },
    },
    required: ["taskId"],
    additionalProperties: false,
  },
  responseSchema: {
    type: "object",
    required: ["success", "taskId", "updatedFields"],
    properties: {
      success: { type: "boolean" },
      taskId: { type: "string" },
      updatedFields: { type: "array", items: { type: "string" } },
      error: { type: "string" },
      statusChange: { type: "object", required: ["from", "to"] },
    },
  },
  render(response) {
    const { success, taskId, updatedFields, error } = response as UpdateResponse;
    return success ? `Updated task #${taskId} ${updatedFields.join(", ")}` : (error ?? "Task not found");
  },
  async run(given, context) {
    const input = given as unknown as UpdateInput;
    const { tasks } = context.paths;
    const before = await loadTask(tasks, input.taskId);
    if (before === undefined) return toolSuccess(taskUpdateTool, failed(input, "Task not found"));
    if (input.status === "completed" && before.status !== "completed") {
      const { id, subject, description } = before;
      const refused = await context.taskCompleted({ id, subject, description });
      if (refused !== undefined) return toolSuccess(taskUpdateTool, failed(input, refused.reason));
    }
    return toolSuccess(taskUpdateTool, await withTasks(tasks, context.signal, () => update(input, context)));
  },
};

function failed({ taskId }: UpdateInput, error: string): UpdateResponse {
  return { success: false, taskId, updatedFields: [], error };
}

async function update(input: UpdateInput, { paths: { tasks } }: ToolContext): Promise<UpdateResponse> {
  const { taskId, status } = input;
  const task = await loadTask(tasks, taskId);
  if (task === undefined) return failed(input, "Task not found");
  const statusChange =
    status === undefined || status === task.status ? {} : { statusChange: { from: task.status, to: status } };
  if (status === "deleted") {
    await removeTask(tasks, taskId);
    return { success: true, taskId, updatedFields: ["deleted"], ...statusChange };
  }
  const blocks = await link(tasks, task, input.addBlocks, "blockedBy");
  const blockedBy = await link(tasks, task, input.addBlockedBy, "blocks");
  const changes = { ...wordsOf(input, task), ...(status === undefined ? {} : { status }) };
  const after: StoredTask = {
    ...task,
    ...changes,
    blocks: [...task.blocks, ...blocks],
    blockedBy: [...task.blockedBy, ...blockedBy],
  };
  await writeTask(tasks, after);
  const fields = fieldOrder.filter((field) => JSON.stringify(task[field]) !== JSON.stringify(after[field]));
  return { success: true, taskId, updatedFields: fields, ...statusChange };
}

const fieldOrder = [
  ...(["subject", "description", "activeForm", "owner", "metadata", "status", "blocks", "blockedBy"] as const),
];

function wordsOf(input: UpdateInput, task: StoredTask): Partial<StoredTask> {
  const { subject, description, activeForm, owner, metadata } = input;
  const merged = { ...task.metadata, ...metadata };
  const kept = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
  return {
    ...defined({ subject, description, activeForm, owner }),
    ...(metadata === undefined ? {} : { metadata: kept }),
  };
}

/** The other side of a bond is written too. Gives the numbers that are new to this task. */
async function link(
  folder: string,
  task: StoredTask,
  others: readonly string[] = [],
  side: "blocks" | "blockedBy",
): Promise<string[]> {
  const known = side === "blocks" ? task.blockedBy : task.blocks;
  const fresh: string[] = [];
  for (const id of new Set(others)) {
    const other = id === task.id || known.includes(id) ? undefined : await loadTask(folder, id);
    if (other === undefined) continue;
    fresh.push(id);
    await writeTask(folder, { ...other, [side]: [...other[side], task.id] });
  }
  return fresh;
}
