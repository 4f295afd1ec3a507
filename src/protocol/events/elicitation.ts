import type { RowFacts } from "./event-row.ts";

export const elicitation = {
  name: "Elicitation",
  phase: "mcp",
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
} as const satisfies RowFacts;
