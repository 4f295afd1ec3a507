import { type CatalogRow, usual } from "./event-row.ts";

export interface WorktreeCreateInput {
  /** `agent-<id>` for an isolated agent. */
  readonly name: string;
}

const app = { method: "onWorktreeCreate", answers: ["worktree", "block"] } as const;

export const worktreeCreate: CatalogRow<"WorktreeCreate", WorktreeCreateInput, typeof app> = {
  ...usual,
  name: "WorktreeCreate",
  phase: "settings",
  since: "2.1.197",
  fires: "an isolated working copy is needed; a hook replaces the host's own way of creating one",
  fields: {
    name: { is: "text" },
  },
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
