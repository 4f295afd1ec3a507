import { fire } from "./fire.ts";
import type { Thread } from "./thread.ts";
import type { CurrentWorktree, WorktreePort } from "./tools/tool.ts";

const current = new WeakMap<Thread, CurrentWorktree>();

/** Fires the events of worktrees and keeps where a thread is. */
export function worktreePort(thread: Thread, signal: AbortSignal): WorktreePort {
  return {
    async create(name) {
      if (!thread.session.engine.hasHookFor("WorktreeCreate")) return { by: "none" };
      const outcome = await fire(thread, "WorktreeCreate", { name }, { signal });
      if (outcome.blocked) return { by: "failed", error: `WorktreeCreate hook failed: ${outcome.reason ?? ""}` };
      const { worktreePath } = outcome.output;
      return worktreePath === undefined ? { by: "none" } : { by: "hook", path: worktreePath };
    },
    async remove(path) {
      const outcome = await fire(thread, "WorktreeRemove", { worktree_path: path }, { signal });
      return outcome.runs.length > 0;
    },
    current: () => current.get(thread),
    async enter(worktree) {
      if (worktree === undefined) current.delete(thread);
      else current.set(thread, worktree);
      const { sessionId = "", ...state } = { sessionId: thread.session.record.id, ...worktree };
      const worktreeSession = worktree === undefined ? null : { ...state, sessionId };
      await thread.journal.note({ type: "worktree-state", worktreeSession });
    },
  };
}
