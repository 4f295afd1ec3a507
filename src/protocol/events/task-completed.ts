import { taskFields } from "./common-fields.ts";
import { type CatalogRow, hookTypes, usual } from "./event-row.ts";

const app = { method: "onTaskCompleted", answers: ["block"] } as const;

export const taskCompleted: CatalogRow<"TaskCompleted", typeof taskFields, typeof app> = {
  ...usual,
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
  app,
};
