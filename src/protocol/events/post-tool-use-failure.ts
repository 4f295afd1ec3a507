import { mcpServerField } from "./common-fields.ts";
import { type CatalogRow, usualOnTool } from "./event-row.ts";

const fields = {
  tool_name: { is: "text" },
  tool_input: { is: "object" },
  tool_use_id: { is: "text" },
  error: { is: "text" },
  is_interrupt: { is: "flag" },
  duration_ms: { is: "number", optional: true },
  mcp_server: mcpServerField,
} as const;

const app = { method: "postToolFailure", answers: ["block", "context", "halt"] } as const;

export const postToolUseFailure: CatalogRow<"PostToolUseFailure", typeof fields, typeof app> = {
  ...usualOnTool,
  name: "PostToolUseFailure",
  fires: "a tool failed (non-zero exit, tool error, MCP error); not on denials",
  fields,
  onBlock: "feedback",
  answers: ["additionalContext"],
  decisions: ["deny"],
  blockWord: true,
  onFailure: "guard",
  app,
};
