import { backgroundTasksField, sessionCronsField } from "./common-fields.ts";
import { type EventTable, hookTypes, refusable } from "./event-row.ts";

/** A task that is created or completed. */
const taskFields = {
  task_id: { is: "text" },
  task_subject: { is: "text" },
  task_description: { is: "text", optional: true },
  teammate_name: { is: "text", optional: true },
  team_name: { is: "text", optional: true },
} as const;

/** Subagents, teammates and the tasks that they share. */
export const agentEvents = {
  SubagentStart: {
    fires: "a subagent begins",
    fields: {
      agent_id: { is: "text" },
      agent_type: { is: "text" },
    },
    matchesOn: { field: "agent_type" },
    answers: ["additionalContext"],
    app: { method: "onSubagentStart", answers: ["context"] },
  },
  SubagentStop: {
    ...refusable,
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
    types: hookTypes.stop,
    blocks: "the subagent continues",
    onStop: "end-turn",
    special: { endsTurn: true },
    app: { method: "onSubagentStop", answers: ["block", "context", "halt"] },
  },
  TeammateIdle: {
    ...refusable,
    fires: "a teammate is about to go idle",
    carries: ["permission_mode"],
    fields: {
      teammate_name: { is: "text" },
      team_name: { is: "text" },
    },
    onBlock: "goOn",
    types: hookTypes.all,
    blocks: "the teammate continues",
    onStop: "stop",
    onNotOk: "stop",
    app: { method: "onTeammateIdle", answers: ["block"] },
  },
  TaskCreated: {
    ...refusable,
    fires: "between PreToolUse and PostToolUse of the tool that creates a task",
    fields: taskFields,
    onBlock: "refuse",
    onOther: null,
    types: hookTypes.all,
    blocks: "the task is not created; the tool call fails with the reason",
    onFailure: "guard",
    app: { method: "onTaskCreated", answers: ["block"] },
  },
  TaskCompleted: {
    ...refusable,
    fires: "between PreToolUse and PostToolUse of the tool that marks a task done",
    fields: taskFields,
    onBlock: "refuse",
    onOther: null,
    types: hookTypes.all,
    blocks: "the task stays open; the reason goes to the model, not as an error",
    onStop: "stop",
    app: { method: "onTaskCompleted", answers: ["block"] },
  },
} as const satisfies EventTable;
