import type { RowFacts } from "./event-row.ts";

export const elicitationResult = {
  name: "ElicitationResult",
  phase: "mcp",
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
} as const satisfies RowFacts;
