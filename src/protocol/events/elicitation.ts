import { type CatalogRow, usual } from "./event-row.ts";

export interface ElicitationInput {
  readonly mcp_server_name: string;
  readonly message: string;
  readonly mode?: "form" | "url";
  readonly requested_schema?: Readonly<Record<string, unknown>>;
  readonly url?: string;
  readonly elicitation_id?: string;
}

const app = { method: "onElicitation", answers: ["elicit", "block"] } as const;

export const elicitation: CatalogRow<"Elicitation", ElicitationInput, typeof app> = {
  ...usual,
  name: "Elicitation",
  phase: "mcp",
  since: "2.1.197",
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
  app,
};
