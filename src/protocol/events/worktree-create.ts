import { type CatalogRow, usual } from "./event-row.ts";

const fields = {
  /** `agent-<id>` for an isolated agent. */
  name: { is: "text" },
} as const;

const app = { method: "onWorktreeCreate", answers: ["worktree", "block"] } as const;

export const worktreeCreate: CatalogRow<"WorktreeCreate", typeof fields, typeof app> = {
  ...usual,
  name: "WorktreeCreate",
  phase: "settings",
  fires: "an isolated working copy is needed; a hook replaces the host's own way of creating one",
  fields,
  onText: "path",
  onBlock: "fail",
  onOther: "fail",
  answers: ["worktreePath"],
  decisions: ["deny"],
  blocks: "creation fails",
  onFailure: "fail",
  special: { answersPath: true },
  app,
};
