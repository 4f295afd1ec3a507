import type { RowFacts } from "./event-row.ts";

export const preCompact = {
  name: "PreCompact",
  phase: "context",
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
  app: { method: "onPreCompact", answers: ["block", "context"] },
} as const satisfies RowFacts;
