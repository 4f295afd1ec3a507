import type { ToolInput } from "../hook-output.ts";
import { type McpServerRef, mcpServerField } from "./common-fields.ts";
import { type CatalogRow, hookTypes, usual } from "./event-row.ts";

export interface PostToolUseInput {
  readonly tool_name: string;
  readonly tool_input: ToolInput;
  /** Structured, per tool. */
  readonly tool_response: unknown;
  readonly tool_use_id: string;
  readonly duration_ms?: number;
  readonly mcp_server?: McpServerRef;
}

const app = { method: "postTool", answers: ["block", "context", "updateOutput", "mapOutput", "halt"] } as const;

export const postToolUse: CatalogRow<"PostToolUse", PostToolUseInput, typeof app> = {
  ...usual,
  name: "PostToolUse",
  phase: "tool",
  since: "2.1.197",
  fires: "a tool succeeded",
  carries: ["permission_mode", "effort", "agent"],
  fields: {
    tool_name: { is: "text" },
    tool_input: { is: "object" },
    tool_response: { is: "anything" },
    tool_use_id: { is: "text" },
    duration_ms: { is: "number", optional: true },
    mcp_server: mcpServerField,
  },
  matchesOn: { field: "tool_name" },
  onBlock: "feedback",
  answers: ["additionalContext", "updatedToolOutput", "updatedMCPToolOutput", "classifierContext"],
  decisions: ["deny"],
  blockWord: true,
  types: hookTypes.all,
  onFailure: "guard",
  onStop: "stop",
  onNotOk: "stop",
  special: {
    onTool: true,
    // The older spelling never reached the output of built-in tools.
    honouredWhen: { updatedMCPToolOutput: ({ tool_name }) => String(tool_name).startsWith("mcp__") },
  },
  app,
};
