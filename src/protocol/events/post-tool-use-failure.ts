import { mcpServerField } from "./common-fields.ts";
import { type RowFacts, usualOnTool } from "./event-row.ts";

export const postToolUseFailure = {
  ...usualOnTool,
  name: "PostToolUseFailure",
  fires: "a tool failed (non-zero exit, tool error, MCP error); not on denials",
  fields: {
    tool_name: { is: "text" },
    tool_input: { is: "object" },
    tool_use_id: { is: "text" },
    error: { is: "text" },
    is_interrupt: { is: "flag" },
    duration_ms: { is: "number", optional: true },
    mcp_server: mcpServerField,
  },
  onBlock: "feedback",
  answers: ["additionalContext"],
  decisions: ["deny"],
  blockWord: true,
  onFailure: "guard",
  app: { method: "postToolFailure", answers: ["block", "context", "halt"] },
} as const satisfies RowFacts;
