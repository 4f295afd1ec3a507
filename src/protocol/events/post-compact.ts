import type { RowFacts } from "./event-row.ts";

export const postCompact = {
  name: "PostCompact",
  phase: "context",
  fires: "after a conversation was compacted",
  fields: {
    trigger: { is: "text", of: ["manual", "auto"] },
    compact_summary: { is: "text" },
  },
  matchesOn: { field: "trigger" },
  onText: "message",
  app: { method: "onPostCompact", answers: [] },
} as const satisfies RowFacts;
