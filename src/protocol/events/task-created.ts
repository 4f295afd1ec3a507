import { type CatalogRow, hookTypes, usual } from "./event-row.ts";

export interface TaskCreatedInput {
  readonly task_id: string;
  readonly task_subject: string;
  readonly task_description?: string;
  readonly teammate_name?: string;
  readonly team_name?: string;
}

const app = { method: "onTaskCreated", answers: ["block"] } as const;

export const taskCreated: CatalogRow<"TaskCreated", TaskCreatedInput, typeof app> = {
  ...usual,
  name: "TaskCreated",
  phase: "agent",
  since: "2.1.197",
  fires: "between PreToolUse and PostToolUse of the tool that creates a task",
  fields: {
    task_id: { is: "text" },
    task_subject: { is: "text" },
    task_description: { is: "text", optional: true },
    teammate_name: { is: "text", optional: true },
    team_name: { is: "text", optional: true },
  },
  onBlock: "refuse",
  onOther: null,
  decisions: ["deny"],
  blockWord: true,
  types: hookTypes.all,
  blocks: "the task is not created; the tool call fails with the reason",
  onFailure: "guard",
  app,
};
