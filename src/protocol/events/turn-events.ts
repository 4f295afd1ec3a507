import { backgroundTasksField, sessionCronsField } from "./common-fields.ts";
import { type EventTable, hookTypes, refusable } from "./event-row.ts";

/** The agent ends its turn, or an API error ends it. */
export const turnEvents = {
  Stop: {
    ...refusable,
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
    types: hookTypes.stop,
    blocks: "the agent must continue",
    onStop: "end-turn",
    special: { endsTurn: true, insideAgent: "SubagentStop" },
    app: { method: "onStop", answers: ["block", "context", "halt"] },
  },
  StopFailure: {
    fires: "instead of Stop, after an API error",
    carries: ["effort"],
    fields: {
      error: {
        is: "text",
        of: [
          "unknown",
          "invalid_request",
          "billing_error",
          "authentication_failed",
          "model_not_found",
          "rate_limit",
          "server_error",
          "max_output_tokens",
        ],
        open: true,
      },
      error_details: { is: "text", optional: true },
      /** The error text. */
      last_assistant_message: { is: "text" },
    },
    matchesOn: { field: "error", narrow: true },
    onOther: null,
    awaited: "detached",
    app: { method: "onStopFailure", answers: [] },
  },
} as const satisfies EventTable;
