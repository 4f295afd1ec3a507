import { backgroundTasksField, sessionCronsField } from "./common-fields.ts";
import { hookTypes, type RowFacts } from "./event-row.ts";

export const subagentStop = {
  name: "SubagentStop",
  phase: "agent",
  fires:
    "a subagent wants to end; also the internal compaction agent, with an empty agent_type and no SubagentStart before it",
  carries: ["permission_mode", "effort"],
  fields: {
    agent_id: { is: "text" },
    agent_type: { is: "text" },
    stop_hook_active: { is: "flag" },
    /** May not exist for internal agents. */
    agent_transcript_path: { is: "text" },
    last_assistant_message: { is: "text" },
    background_tasks: backgroundTasksField,
    session_crons: sessionCronsField,
  },
  matchesOn: { field: "agent_type" },
  onBlock: "goOn",
  answers: ["additionalContext"],
  decisions: ["deny"],
  blockWord: true,
  types: hookTypes.stop,
  blocks: "the subagent continues",
  onStop: "end-turn",
  special: { endsTurn: true },
  app: { method: "onSubagentStop", answers: ["block", "context", "halt"] },
} as const satisfies RowFacts;
