import type { ToolContext } from "../tools/tool.ts";

/** A working copy for one agent: what a hook supplies, else a worktree of git's. */
export async function isolatedFolder(
  { worktrees }: ToolContext,
  name: string,
): Promise<{ readonly cwd: string } | { readonly error: string }> {
  const answer = await worktrees.create(name);
  if (answer.by === "hook") return { cwd: answer.path };
  return { error: answer.by === "failed" ? answer.error : "no worktree could be made" };
}
