import type { RowFacts } from "./event-row.ts";

export const worktreeRemove = {
  name: "WorktreeRemove",
  phase: "settings",
  fires: "a working copy that a hook created is to be removed",
  fields: {
    worktree_path: { is: "text" },
  },
  app: { method: "onWorktreeRemove", answers: [] },
} as const satisfies RowFacts;
