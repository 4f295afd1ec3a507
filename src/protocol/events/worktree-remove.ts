import { type CatalogRow, usual } from "./event-row.ts";

export interface WorktreeRemoveInput {
  readonly worktree_path: string;
}

const app = { method: "onWorktreeRemove", answers: [] } as const;

export const worktreeRemove: CatalogRow<"WorktreeRemove", WorktreeRemoveInput, typeof app> = {
  ...usual,
  name: "WorktreeRemove",
  phase: "settings",
  since: "2.1.197",
  fires: "a working copy that a hook created is to be removed",
  fields: {
    worktree_path: { is: "text" },
  },
  app,
};
