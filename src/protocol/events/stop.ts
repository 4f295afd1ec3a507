import { backgroundTasksField, sessionCronsField } from "./common-fields.ts";
import { type CatalogRow, hookTypes, usual } from "./event-row.ts";

const fields = {
  /** False on the first Stop of a turn, true after a hook made the agent go on. */
  stop_hook_active: { is: "flag" },
  last_assistant_message: { is: "text" },
  background_tasks: backgroundTasksField,
  session_crons: sessionCronsField,
} as const;

const app = { method: "onStop", answers: ["block", "context", "halt"] } as const;

export const stop: CatalogRow<"Stop", typeof fields, typeof app> = {
  ...usual,
  name: "Stop",
  phase: "turn",
  fires: "the agent wants to end its turn; not after an interrupt",
  carries: ["permission_mode", "effort"],
  fields,
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
