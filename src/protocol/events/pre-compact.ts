import { type CatalogRow, usual } from "./event-row.ts";

export interface PreCompactInput {
  readonly trigger: "manual" | "auto";
  readonly custom_instructions: string | null;
}

const app = { method: "onPreCompact", answers: ["block", "context"] } as const;

export const preCompact: CatalogRow<"PreCompact", PreCompactInput, typeof app> = {
  ...usual,
  name: "PreCompact",
  phase: "context",
  since: "2.1.197",
  fires: "before a conversation is compacted",
  fields: {
    trigger: { is: "text", of: ["manual", "auto"] },
    custom_instructions: { is: "text", nullable: true },
  },
  matchesOn: { field: "trigger" },
  onText: "instructions",
  onBlock: "refuse",
  decisions: ["deny"],
  blockWord: true,
  blocks: "the conversation is not compacted",
  onFailure: "guard",
  app,
};
