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

/** The MCP server behind a tool, on the single-tool events of newer versions of Claude Code. */
export const mcpServerField = {
  is: "object",
  fields: { name: { is: "text" }, source: { is: "text" } },
  optional: true,
  newer: true,
} as const;

/** A switch of the model; each of its events has its own words for `source`. */
export const modelSwitchFields = {
  from_model: { is: "text" },
  to_model: { is: "text" },
  requested_model: { is: "text", nullable: true },
  source: { is: "text" },
  context_tokens: { is: "number" },
  prompt_cache_warm: { is: "flag" },
  cache_ttl: { is: "text", of: ["5m", "1h"] },
  estimated_cache_write_usd: { is: "number" },
  pricing: { is: "text", of: ["configured", "catalog", "default"] },
} as const;

/** A task that is created or completed. */
export const taskFields = {
  task_id: { is: "text" },
  task_subject: { is: "text" },
  task_description: { is: "text", optional: true },
  teammate_name: { is: "text", optional: true },
  team_name: { is: "text", optional: true },
} as const;
