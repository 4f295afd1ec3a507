import { type BackgroundTask, backgroundTasksField, type SessionCron, sessionCronsField } from "./common-fields.ts";
import { type CatalogRow, hookTypes, usual } from "./event-row.ts";

export interface StopInput {
  /** False on the first Stop of a turn, true after a hook made the agent go on. */
  readonly stop_hook_active: boolean;
  readonly last_assistant_message: string;
  readonly background_tasks: readonly BackgroundTask[];
  readonly session_crons: readonly SessionCron[];
}

const app = { method: "onStop", answers: ["block", "context", "halt"] } as const;

export const stop: CatalogRow<"Stop", StopInput, typeof app> = {
  ...usual,
  name: "Stop",
  phase: "turn",
  since: "2.1.197",
  fires: "the agent wants to end its turn; not after an interrupt",
  carries: ["permission_mode", "effort"],
  fields: {
    stop_hook_active: { is: "flag" },
    last_assistant_message: { is: "text" },
    background_tasks: backgroundTasksField,
    session_crons: sessionCronsField,
  },
  onBlock: "goOn",
  answers: ["additionalContext"],
  decisions: ["deny"],
  blockWord: true,
  types: hookTypes.stop,
  blocks: "the agent must continue",
  onStop: "end-turn",
  special: { endsTurn: true, insideAgent: "SubagentStop" },
  app,
};
