import { type CatalogRow, usual } from "./event-row.ts";

const fields = {
  worktree_path: { is: "text" },
} as const;

const app = { method: "onWorktreeRemove", answers: [] } as const;

export const worktreeRemove: CatalogRow<"WorktreeRemove", typeof fields, typeof app> = {
  ...usual,
  name: "WorktreeRemove",
  phase: "settings",
  fires: "a working copy that a hook created is to be removed",
  fields,
  app,
};
