import { type EventRow, type EventTable, hookTypes, refusable } from "./event-row.ts";

/** What most events about one tool call have in common. */
const usualOnTool = {
  carries: ["permission_mode", "effort", "agent"],
  matchesOn: { field: "tool_name" },
  types: hookTypes.all,
  special: { onTool: true },
} as const satisfies Partial<EventRow>;

/** The MCP server behind a tool, on the single-tool events of newer versions of Claude Code. */
const mcpServerField = {
  is: "object",
  fields: { name: { is: "text" }, source: { is: "text" } },
  optional: true,
  newer: true,
} as const;

/** A tool call, from the permission decision to its result, and all calls of one model turn together. */
export const toolEvents = {
  PreToolUse: {
    ...usualOnTool,
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
  },
  PermissionRequest: {
    ...usualOnTool,
    fires: "before the user is asked, or before a call is denied because there is no user to ask",
    fields: {
      tool_name: { is: "text" },
      tool_input: { is: "object" },
      permission_suggestions: { is: "list", of: { is: "object" }, optional: true },
      mcp_server: mcpServerField,
    },
    answers: ["decision"],
    decisions: ["allow", "deny"],
    blockWord: true,
    blocks: "the call is denied without asking",
    onFailure: "guard",
    onStop: "stop",
    onNotOk: "ignore",
    special: { onTool: true, stockDenial: "Permission denied by hook" },
    app: { method: "onPermission", answers: ["approvePermission", "denyPermission"] },
  },
  PermissionDenied: {
    ...usualOnTool,
    fires: "the automatic classifier denied a call; not for rules or hooks",
    fields: {
      tool_name: { is: "text" },
      tool_input: { is: "object" },
      tool_use_id: { is: "text" },
      reason: { is: "text" },
      mcp_server: mcpServerField,
    },
    onOther: null,
    answers: ["retry"],
    onNotOk: "ignore",
    app: { method: "onPermissionDenied", answers: ["retry"] },
  },
  PostToolUse: {
    ...usualOnTool,
    ...refusable,
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
    onFailure: "guard",
    onStop: "stop",
    onNotOk: "stop",
    special: {
      onTool: true,
      // The older spelling never reached the output of built-in tools.
      honouredWhen: { updatedMCPToolOutput: ({ tool_name }) => String(tool_name).startsWith("mcp__") },
    },
    app: { method: "postTool", answers: ["block", "context", "updateOutput", "mapOutput", "halt"] },
  },
  PostToolUseFailure: {
    ...usualOnTool,
    ...refusable,
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
    onFailure: "guard",
    app: { method: "postToolFailure", answers: ["block", "context", "halt"] },
  },
  PostToolBatch: {
    ...refusable,
    fires: "all calls of one model turn are finished, including denied and invalid ones; inside subagents too",
    carries: ["permission_mode", "effort", "agent"],
    fields: {
      tool_calls: {
        is: "list",
        of: {
          is: "object",
          fields: {
            tool_name: { is: "text" },
            tool_input: { is: "anything" },
            tool_use_id: { is: "text" },
            /** What the model sees: text or content blocks. */
            tool_response: { is: "anything", optional: true },
          },
        },
      },
    },
    onBlock: "stop",
    answers: ["additionalContext"],
    types: hookTypes.all,
    blocks: "no further model call",
    onFailure: "guard",
    onStop: "refuse",
    app: { method: "onToolBatch", answers: ["block", "context", "halt"] },
  },
} as const satisfies EventTable;
