import { mcpServerField } from "./common-fields.ts";
import { type RowFacts, usualOnTool } from "./event-row.ts";

export const postToolUse = {
  ...usualOnTool,
  name: "PostToolUse",
  fires: "a tool succeeded",
  fields: {
    tool_name: { is: "text" },
    tool_input: { is: "object" },
    /** Structured, per tool. */
    tool_response: { is: "anything" },
    tool_use_id: { is: "text" },
    duration_ms: { is: "number", optional: true },
    mcp_server: mcpServerField,
  },
  onBlock: "feedback",
  answers: ["additionalContext", "updatedToolOutput", "updatedMCPToolOutput", "classifierContext"],
  decisions: ["deny"],
  blockWord: true,
  onFailure: "guard",
  onStop: "stop",
  onNotOk: "stop",
  special: {
    onTool: true,
    // The older spelling never reached the output of built-in tools.
    honouredWhen: { updatedMCPToolOutput: ({ tool_name }) => String(tool_name).startsWith("mcp__") },
  },
  app: { method: "postTool", answers: ["block", "context", "updateOutput", "mapOutput", "halt"] },
} as const satisfies RowFacts;
