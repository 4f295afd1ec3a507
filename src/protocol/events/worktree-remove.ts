import { type CatalogRow, types } from "../row.ts";

export interface WorktreeRemoveInput {
  readonly worktree_path: string;
}

const app = { method: "onWorktreeRemove", answers: [] } as const;

export const worktreeRemove: CatalogRow<"WorktreeRemove", WorktreeRemoveInput, typeof app> = {
  name: "WorktreeRemove",
  phase: "settings",
  since: "2.1.197",
  fires: "a working copy that a hook made is to be removed",
  carries: [],
  fields: {
    worktree_path: { is: "text" },
  },
  matchesOn: null,
  onText: null,
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
