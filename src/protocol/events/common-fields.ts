import type { FieldOf, FieldsOf } from "../field.ts";

/** The fields every payload begins with, in this order; an event's own fields follow. */
export interface CommonInput {
  readonly session_id: string;
  readonly transcript_path: string;
  /** Follows `cd` and worktrees. */
  readonly cwd: string;
  /** From the first prompt on. */
  readonly prompt_id?: string;
  readonly permission_mode?: string;
  /** With `agent_type` inside a subagent. */
  readonly agent_id?: string;
  readonly agent_type?: string;
  readonly effort?: { readonly level: string };
  readonly hook_event_name: string;
  readonly scratchpad_dir?: string;
}

/** The fields of `CommonInput` as data: name, type, and whether a field is optional. */
export const commonFields: FieldsOf<CommonInput> = {
  session_id: { is: "text" },
  transcript_path: { is: "text" },
  cwd: { is: "text" },
  prompt_id: { is: "text", optional: true },
  permission_mode: {
    is: "text",
    of: ["default", "plan", "acceptEdits", "auto", "dontAsk", "bypassPermissions"],
    open: true,
    optional: true,
  },
  agent_id: { is: "text", optional: true },
  agent_type: { is: "text", optional: true },
  effort: { is: "object", fields: { level: { is: "text" } }, optional: true },
  hook_event_name: { is: "text" },
  scratchpad_dir: { is: "text", optional: true, newer: true },
};

/** Work that goes on while an agent's turn ends. */
export interface BackgroundTask {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly description: string;
  readonly command?: string;
  readonly agent_type?: string;
}

export interface SessionCron {
  readonly id: string;
  readonly schedule: string;
  readonly recurring: boolean;
  readonly prompt: string;
}

export const backgroundTasksField: FieldOf<readonly BackgroundTask[]> & { readonly optional?: never } = {
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
};

export const sessionCronsField: FieldOf<readonly SessionCron[]> & { readonly optional?: never } = {
  is: "list",
  of: {
    is: "object",
    fields: { id: { is: "text" }, schedule: { is: "text" }, recurring: { is: "flag" }, prompt: { is: "text" } },
  },
};

/** The MCP server behind a tool, on the single-tool events of newer clients. */
export interface McpServerRef {
  readonly name: string;
  readonly source: string;
}

export const mcpServerField: FieldOf<McpServerRef> & { readonly optional: true } = {
  is: "object",
  fields: { name: { is: "text" }, source: { is: "text" } },
  optional: true,
  newer: true,
};
