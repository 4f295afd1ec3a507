import { type EventRow, types } from "../row.ts";

export interface PreCompactInput {
  readonly trigger: "manual" | "auto";
  readonly custom_instructions: string | null;
}

export const preCompact: EventRow<"PreCompact", PreCompactInput> = {
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
};
