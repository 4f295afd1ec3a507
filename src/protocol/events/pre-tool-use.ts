import type { ToolInput } from "../hook-output.ts";
import { type McpServerRef, mcpServerField } from "./common-fields.ts";
import { type CatalogRow, hookTypes, usual } from "./event-row.ts";

export interface PreToolUseInput {
  readonly tool_name: string;
  readonly tool_input: ToolInput;
  readonly tool_use_id: string;
  readonly mcp_server?: McpServerRef;
}

const app = {
  method: "preTool",
  answers: ["allow", "ask", "deny", "defer", "updateInput", "patchInput", "context", "halt"],
} as const;

export const preToolUse: CatalogRow<"PreToolUse", PreToolUseInput, typeof app> = {
  ...usual,
  name: "PreToolUse",
  phase: "tool",
  since: "2.1.197",
  fires: "before a tool runs and before permission rules; parallel calls are judged concurrently",
  carries: ["permission_mode", "effort", "agent"],
  fields: {
    tool_name: { is: "text" },
    tool_input: { is: "object" },
    tool_use_id: { is: "text" },
    mcp_server: mcpServerField,
  },
  matchesOn: { field: "tool_name" },
  onBlock: "refuse",
  answers: ["permissionDecision", "updatedInput", "additionalContext"],
  decisions: ["allow", "ask", "defer", "deny"],
  blockWord: true,
  types: hookTypes.all,
  blocks: "the tool does not run",
  onFailure: "guard",
  onStop: "after-tool",
  onNotOk: "deny-and-stop",
  special: { onTool: true },
  app,
};
