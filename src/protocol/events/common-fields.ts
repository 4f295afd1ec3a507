import type { ValuesOf } from "../field.ts";

/** The fields that every payload begins with, in this order; an event's own fields follow. */
export const commonFields = {
  session_id: { is: "text" },
  transcript_path: { is: "text" },
  /** Follows `cd` and worktrees. */
  cwd: { is: "text" },
  /** From the first prompt on. */
  prompt_id: { is: "text", optional: true },
  permission_mode: {
    is: "text",
    of: ["default", "plan", "acceptEdits", "auto", "dontAsk", "bypassPermissions"],
    open: true,
    optional: true,
  },
  /** With `agent_type` inside a subagent. */
  agent_id: { is: "text", optional: true },
  agent_type: { is: "text", optional: true },
  effort: { is: "object", fields: { level: { is: "text" } }, optional: true },
  hook_event_name: { is: "text" },
  scratchpad_dir: { is: "text", optional: true, newer: true },
} as const;

/** The fields every payload begins with, in this order; an event's own fields follow. */
export interface CommonInput extends ValuesOf<typeof commonFields> {}

/** Work that continues after an agent's turn ends. */
export const backgroundTasksField = {
  is: "list",
  of: {
    is: "object",
    fields: {
      id: { is: "text" },
      type: { is: "text" },
      status: { is: "text" },
      description: { is: "text" },
      command: { is: "text", optional: true },
      agent_type: { is: "text", optional: true },
    },
  },
} as const;

export const sessionCronsField = {
  is: "list",
  of: {
    is: "object",
    fields: { id: { is: "text" }, schedule: { is: "text" }, recurring: { is: "flag" }, prompt: { is: "text" } },
  },
} as const;
