import type { RowFacts } from "./event-row.ts";

export const worktreeCreate = {
  name: "WorktreeCreate",
  phase: "settings",
  fires: "an isolated working copy is needed; a hook replaces the host's own way of creating one",
  fields: {
    /** `agent-<id>` for an isolated agent. */
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
  app: { method: "onWorktreeCreate", answers: ["worktree", "block"] },
} as const satisfies RowFacts;
