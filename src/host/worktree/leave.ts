import { existsSync } from "node:fs";
import type { CurrentWorktree, WorktreePort } from "../tools/tool.ts";
import { type GitPlace, git, mainCopy } from "./git.ts";

/** What would be lost with a worktree. */
export interface Unsaved {
  readonly files: number;
  readonly commits: number;
}

export async function unsavedIn(worktree: CurrentWorktree, place: Omit<GitPlace, "cwd">): Promise<Unsaved> {
  if (worktree.hookBased || !existsSync(worktree.path)) return { files: 0, commits: 0 };
  const inside = { ...place, cwd: worktree.path };
  const status = await git(["status", "--porcelain", "-z", "--no-renames"], inside);
  const files = status.ok ? status.text.split("\0").filter((line) => line !== "").length : 0;
  const base = worktree.baseCommit;
  const ahead = base === undefined ? undefined : await git(["rev-list", "--count", `${base}..HEAD`], inside);
  return { files, commits: ahead?.ok ? Number(ahead.text) : 0 };
}

/** `2 uncommitted files and 1 commit on worktree-feat`, or nothing. */
export function unsavedText({ files, commits }: Unsaved, branch?: string): string {
  const on = branch === undefined ? "" : ` on ${branch}`;
  const parts = [
    ...(files > 0 ? [`${files} uncommitted ${files === 1 ? "file" : "files"}`] : []),
    ...(commits > 0 ? [`${commits} ${commits === 1 ? "commit" : "commits"}${on}`] : []),
  ];
  return parts.join(" and ");
}

/**
 * Removes a worktree: WorktreeRemove is fired, then git takes away what git made. A folder that a hook made is the hook's to remove;
 * the answer says when it is still there.
 */
export async function removeWorktree(
  worktree: CurrentWorktree,
  port: Pick<WorktreePort, "remove">,
  place: Omit<GitPlace, "cwd">,
): Promise<{ readonly left?: string }> {
  await port.remove(worktree.path);
  if (!worktree.hookBased && existsSync(worktree.path)) {
    const root = await mainCopy({ ...place, cwd: worktree.path });
    if (root === undefined || root === worktree.path) return { left: "it is no worktree of a repository" };
    const removed = await git(["worktree", "remove", "--force", worktree.path], { ...place, cwd: root });
    if (!removed.ok) return { left: removed.why };
    if (worktree.branch !== undefined) await git(["branch", "-D", worktree.branch], { ...place, cwd: root });
  }
  return existsSync(worktree.path) ? { left: "no WorktreeRemove hook has removed it" } : {};
}
