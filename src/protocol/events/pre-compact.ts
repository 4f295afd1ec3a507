import { type CatalogRow, types } from "../row.ts";

export interface PreCompactInput {
  readonly trigger: "manual" | "auto";
  readonly custom_instructions: string | null;
}

const app = { method: "onPreCompact", answers: ["block", "context"] } as const;

export const preCompact: CatalogRow<"PreCompact", PreCompactInput, typeof app> = {
  name: "PreCompact",
  phase: "context",
  since: "2.1.197",
  fires: "before a conversation is compacted",
  carries: [],
  fields: {
    trigger: { is: "text", of: ["manual", "auto"] },
    custom_instructions: { is: "text", nullable: true },
  },
  matchesOn: { field: "trigger" },
  onText: "instructions",
  onBlock: "refuse",
  onOther: "report",
  answers: [],
  decisions: ["deny"],
  blockWord: true,
  types: types.io,
  timeoutMs: null,
  blocks: "no compaction",
  awaited: true,
  onFailure: "guard",
  onStop: "ignore",
  onNotOk: "deny",
  special: {},
  app,
};
