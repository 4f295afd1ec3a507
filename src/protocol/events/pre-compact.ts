import { type CatalogRow, usual } from "./event-row.ts";

const fields = {
  trigger: { is: "text", of: ["manual", "auto"] },
  custom_instructions: { is: "text", nullable: true },
} as const;

const app = { method: "onPreCompact", answers: ["block", "context"] } as const;

export const preCompact: CatalogRow<"PreCompact", typeof fields, typeof app> = {
  ...usual,
  name: "PreCompact",
  phase: "context",
  fires: "before a conversation is compacted",
  fields,
  matchesOn: { field: "trigger" },
  onText: "instructions",
  onBlock: "refuse",
  decisions: ["deny"],
  blockWord: true,
  blocks: "the conversation is not compacted",
  onFailure: "guard",
  app,
};
