import { type CatalogRow, types } from "../row.ts";

export interface PostCompactInput {
  readonly trigger: "manual" | "auto";
  readonly compact_summary: string;
}

const app = { method: "onPostCompact", answers: [] } as const;

export const postCompact: CatalogRow<"PostCompact", PostCompactInput, typeof app> = {
  name: "PostCompact",
  phase: "context",
  since: "2.1.197",
  fires: "after a conversation was compacted",
  carries: [],
  fields: {
    trigger: { is: "text", of: ["manual", "auto"] },
    compact_summary: { is: "text" },
  },
  matchesOn: { field: "trigger" },
  onText: "message",
  onBlock: null,
  onOther: "report",
  answers: [],
  decisions: [],
  blockWord: false,
  types: types.io,
  timeoutMs: null,
  blocks: null,
  awaited: true,
  onFailure: "open",
  onStop: "ignore",
  onNotOk: "deny",
  special: {},
  app,
};
