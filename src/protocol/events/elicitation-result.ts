import { type CatalogRow, usual } from "./event-row.ts";

const fields = {
  mcp_server_name: { is: "text" },
  mode: { is: "text", of: ["form", "url"], optional: true },
  action: { is: "text", of: ["accept", "decline", "cancel"] },
  content: { is: "object", optional: true },
  elicitation_id: { is: "text", optional: true },
} as const;

const app = { method: "onElicitationResult", answers: ["elicit", "block"] } as const;

export const elicitationResult: CatalogRow<"ElicitationResult", typeof fields, typeof app> = {
  ...usual,
  name: "ElicitationResult",
  phase: "mcp",
  fires: "the user has answered; not when an Elicitation hook did",
  fields,
  matchesOn: { field: "mcp_server_name" },
  onBlock: "decline",
  answers: ["action", "content"],
  decisions: ["deny"],
  blocks: "the answer becomes decline",
  onFailure: "guard",
  special: { exit2HidesAnswers: true, stockDenial: "Elicitation result blocked by hook" },
  app,
};
