import { type CatalogRow, types } from "../row.ts";

export interface ElicitationResultInput {
  readonly mcp_server_name: string;
  readonly mode?: "form" | "url";
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, unknown>>;
  readonly elicitation_id?: string;
}

const app = { method: "onElicitationResult", answers: ["elicit", "block"] } as const;

export const elicitationResult: CatalogRow<"ElicitationResult", ElicitationResultInput, typeof app> = {
  name: "ElicitationResult",
  phase: "mcp",
  since: "2.1.197",
  fires: "the person has answered; not when an Elicitation hook did",
  carries: [],
  fields: {
    mcp_server_name: { is: "text" },
    mode: { is: "text", of: ["form", "url"], optional: true },
    action: { is: "text", of: ["accept", "decline", "cancel"] },
    content: { is: "object", optional: true },
    elicitation_id: { is: "text", optional: true },
  },
  matchesOn: { field: "mcp_server_name" },
  onText: null,
  onBlock: "decline",
  onOther: "report",
  answers: ["action", "content"],
  decisions: ["deny"],
  blockWord: false,
  types: types.io,
  timeoutMs: null,
  blocks: "the answer becomes decline",
  awaited: true,
  onFailure: "guard",
  onStop: "ignore",
  onNotOk: "deny",
  special: { exit2HidesAnswers: true, stockDenial: "Elicitation result blocked by hook" },
  app,
};
