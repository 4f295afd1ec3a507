import { type CatalogRow, types } from "../row.ts";

export interface WorktreeCreateInput {
  /** `agent-<id>` for an isolated agent. */
  readonly name: string;
}

const app = { method: "onWorktreeCreate", answers: ["worktree", "block"] } as const;

export const worktreeCreate: CatalogRow<"WorktreeCreate", WorktreeCreateInput, typeof app> = {
  name: "WorktreeCreate",
  phase: "settings",
  since: "2.1.197",
  fires: "an isolated working copy is wanted; a hook replaces the host's own way of making one",
  carries: [],
  fields: {
    name: { is: "text" },
  },
  matchesOn: null,
  onText: "path",
  onBlock: "fail",
  onOther: "fail",
  answers: ["worktreePath"],
  decisions: ["deny"],
  blockWord: false,
  types: types.io,
  timeoutMs: null,
  blocks: "creation fails",
  awaited: true,
  onFailure: "fail",
  onStop: "ignore",
  onNotOk: "deny",
  special: { answersPath: true },
  app,
};
