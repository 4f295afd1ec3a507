import type { ToolInput } from "../hook-output.ts";
import { type McpServerRef, mcpServerField } from "./common-fields.ts";
import { type CatalogRow, hookTypes, usual } from "./event-row.ts";

export interface PostToolUseFailureInput {
  readonly tool_name: string;
  readonly tool_input: ToolInput;
  readonly tool_use_id: string;
  readonly error: string;
  readonly is_interrupt: boolean;
  readonly duration_ms?: number;
  readonly mcp_server?: McpServerRef;
}

const app = { method: "postToolFailure", answers: ["block", "context", "halt"] } as const;

export const postToolUseFailure: CatalogRow<"PostToolUseFailure", PostToolUseFailureInput, typeof app> = {
  ...usual,
  name: "PostToolUseFailure",
  phase: "tool",
  since: "2.1.197",
  fires: "a tool failed (non-zero exit, tool error, MCP error); not on denials",
  carries: ["permission_mode", "effort", "agent"],
  fields: {
    tool_name: { is: "text" },
    tool_input: { is: "object" },
    tool_use_id: { is: "text" },
    error: { is: "text" },
    is_interrupt: { is: "flag" },
    duration_ms: { is: "number", optional: true },
    mcp_server: mcpServerField,
  },
  matchesOn: { field: "tool_name" },
  onBlock: "feedback",
  answers: ["additionalContext"],
  decisions: ["deny"],
  blockWord: true,
  types: hookTypes.all,
  onFailure: "guard",
  special: { onTool: true },
  app,
};
