import { type CatalogRow, usual } from "./event-row.ts";

const fields = {
  trigger: { is: "text", of: ["manual", "auto"] },
  compact_summary: { is: "text" },
} as const;

const app = { method: "onPostCompact", answers: [] } as const;

export const postCompact: CatalogRow<"PostCompact", typeof fields, typeof app> = {
  ...usual,
  name: "PostCompact",
  phase: "context",
  fires: "after a conversation was compacted",
  fields,
  matchesOn: { field: "trigger" },
  onText: "message",
  app,
};
