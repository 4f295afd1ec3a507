import { taskFields } from "./common-fields.ts";
import { type CatalogRow, hookTypes, usual } from "./event-row.ts";

const app = { method: "onTaskCreated", answers: ["block"] } as const;

export const taskCreated: CatalogRow<"TaskCreated", typeof taskFields, typeof app> = {
  ...usual,
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
  app,
};
