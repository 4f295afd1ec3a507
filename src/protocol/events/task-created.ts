import { taskFields } from "./common-fields.ts";
import { hookTypes, type RowFacts } from "./event-row.ts";

export const taskCreated = {
  name: "TaskCreated",
  phase: "agent",
  fires: "between PreToolUse and PostToolUse of the tool that creates a task",
  fields: taskFields,
  onBlock: "refuse",
  onOther: null,
  decisions: ["deny"],
  blockWord: true,
  types: hookTypes.all,
  blocks: "the task is not created; the tool call fails with the reason",
  onFailure: "guard",
  app: { method: "onTaskCreated", answers: ["block"] },
} as const satisfies RowFacts;
