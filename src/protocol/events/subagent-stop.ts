import { type BackgroundTask, backgroundTasksField, type SessionCron, sessionCronsField } from "./common-fields.ts";
import { type CatalogRow, hookTypes, usual } from "./event-row.ts";

export interface SubagentStopInput {
  readonly agent_id: string;
  readonly agent_type: string;
  readonly stop_hook_active: boolean;
  /** May not exist for internal agents. */
  readonly agent_transcript_path: string;
  readonly last_assistant_message: string;
  readonly background_tasks: readonly BackgroundTask[];
  readonly session_crons: readonly SessionCron[];
}

const app = { method: "onSubagentStop", answers: ["block", "context", "halt"] } as const;

export const subagentStop: CatalogRow<"SubagentStop", SubagentStopInput, typeof app> = {
  ...usual,
  name: "SubagentStop",
  phase: "agent",
  since: "2.1.197",
  fires:
    "a subagent wants to end; also the internal compaction agent, with an empty agent_type and no SubagentStart before it",
  carries: ["permission_mode", "effort"],
  fields: {
    agent_id: { is: "text" },
    agent_type: { is: "text" },
    stop_hook_active: { is: "flag" },
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
  app,
};
