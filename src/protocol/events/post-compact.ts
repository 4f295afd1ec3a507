import { type CatalogRow, usual } from "./event-row.ts";

export interface PostCompactInput {
  readonly trigger: "manual" | "auto";
  readonly compact_summary: string;
}

const app = { method: "onPostCompact", answers: [] } as const;

export const postCompact: CatalogRow<"PostCompact", PostCompactInput, typeof app> = {
  ...usual,
  name: "PostCompact",
  phase: "context",
  since: "2.1.197",
  fires: "after a conversation was compacted",
  fields: {
    trigger: { is: "text", of: ["manual", "auto"] },
    compact_summary: { is: "text" },
  },
  matchesOn: { field: "trigger" },
  onText: "message",
  app,
};
