import type { EventTable } from "./event-row.ts";

/** MCP servers ask the user for input; notifications for the user. */
export const mcpEvents = {
  Elicitation: {
    fires: "an MCP server asks the user for input",
    fields: {
      mcp_server_name: { is: "text" },
      message: { is: "text" },
      mode: { is: "text", of: ["form", "url"], optional: true },
      requested_schema: { is: "object", optional: true },
      url: { is: "text", optional: true },
      elicitation_id: { is: "text", optional: true },
    },
    matchesOn: { field: "mcp_server_name" },
    onBlock: "decline",
    answers: ["action", "content"],
    decisions: ["deny"],
    blocks: "the answer is decline, and the user is not asked",
    onFailure: "guard",
    special: { exit2HidesAnswers: true, stockDenial: "Elicitation denied by hook" },
    app: { method: "onElicitation", answers: ["elicit", "block"] },
  },
  ElicitationResult: {
    fires: "the user answered an elicitation (not when a hook answered it)",
    fields: {
      mcp_server_name: { is: "text" },
      mode: { is: "text", of: ["form", "url"], optional: true },
      action: { is: "text", of: ["accept", "decline", "cancel"] },
      content: { is: "object", optional: true },
      elicitation_id: { is: "text", optional: true },
    },
    matchesOn: { field: "mcp_server_name" },
    onBlock: "decline",
    answers: ["action", "content"],
    decisions: ["deny"],
    blocks: "the answer becomes decline",
    onFailure: "guard",
    special: { exit2HidesAnswers: true, stockDenial: "Elicitation result blocked by hook" },
    app: { method: "onElicitationResult", answers: ["elicit", "block"] },
  },
  Notification: {
    fires: "the agent wants the user's attention",
    fields: {
      message: { is: "text" },
      notification_type: {
        is: "text",
        of: ["permission_prompt", "idle_prompt", "elicitation_response", "auth_success"],
        open: true,
      },
      title: { is: "text", optional: true },
    },
    matchesOn: { field: "notification_type" },
    onOther: null,
    answers: ["additionalContext"],
    awaited: false,
    app: { method: "onNotification", answers: [] },
  },
} as const satisfies EventTable;
