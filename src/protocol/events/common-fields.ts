import type { FieldsOf } from "../field.ts";

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
