import { backgroundTasksField, sessionCronsField } from "./common-fields.ts";
import { hookTypes, type RowFacts } from "./event-row.ts";

export const stop = {
  name: "Stop",
  phase: "turn",
  fires: "the agent wants to end its turn; not after an interrupt",
  carries: ["permission_mode", "effort"],
  fields: {
    /** False on the first Stop of a turn, true after a hook made the agent go on. */
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
  app: { method: "onStop", answers: ["block", "context", "halt"] },
} as const satisfies RowFacts;
