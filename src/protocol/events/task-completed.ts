import { taskFields } from "./common-fields.ts";
import { hookTypes, type RowFacts } from "./event-row.ts";

export const taskCompleted = {
  name: "TaskCompleted",
  phase: "agent",
  fires: "between PreToolUse and PostToolUse of the tool that marks a task done",
  fields: taskFields,
  onBlock: "refuse",
  onOther: null,
  decisions: ["deny"],
  blockWord: true,
  types: hookTypes.all,
  blocks: "the task stays open; the reason goes to the model, not as an error",
  onStop: "stop",
  app: { method: "onTaskCompleted", answers: ["block"] },
} as const satisfies RowFacts;
