import { type CatalogRow, hookTypes, usual } from "./event-row.ts";

export interface TaskCompletedInput {
  readonly task_id: string;
  readonly task_subject: string;
  readonly task_description?: string;
  readonly teammate_name?: string;
  readonly team_name?: string;
}

const app = { method: "onTaskCompleted", answers: ["block"] } as const;

export const taskCompleted: CatalogRow<"TaskCompleted", TaskCompletedInput, typeof app> = {
  ...usual,
  name: "TaskCompleted",
  phase: "agent",
  since: "2.1.197",
  fires: "between PreToolUse and PostToolUse of the tool that marks a task done",
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
  blocks: "the task stays open; the reason goes to the model, not as an error",
  onStop: "stop",
  app,
};
