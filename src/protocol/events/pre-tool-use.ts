import { mcpServerField } from "./common-fields.ts";
import { type RowFacts, usualOnTool } from "./event-row.ts";

export const preToolUse = {
  ...usualOnTool,
  name: "PreToolUse",
  fires: "before a tool runs and before permission rules; parallel calls are judged concurrently",
  fields: {
    tool_name: { is: "text" },
    tool_input: { is: "object" },
    tool_use_id: { is: "text" },
    mcp_server: mcpServerField,
  },
  onBlock: "refuse",
  answers: ["permissionDecision", "updatedInput", "additionalContext"],
  decisions: ["allow", "ask", "defer", "deny"],
  blockWord: true,
  blocks: "the tool does not run",
  onFailure: "guard",
  onStop: "after-tool",
  onNotOk: "deny-and-stop",
  app: {
    method: "preTool",
    answers: ["allow", "ask", "deny", "defer", "updateInput", "patchInput", "context", "halt"],
  },
} as const satisfies RowFacts;
