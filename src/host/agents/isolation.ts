import type { AgentWorktree } from "../thread.ts";
import type { ToolContext } from "../tools/tool.ts";
import { makeWorktree } from "../worktree/make.ts";

/** A working copy for one agent: what a hook supplies, else a worktree of git's. It stays when the agent has ended. */
export async function isolatedFolder(
  { worktrees, cwd, env, signal }: ToolContext,
  name: string,
): Promise<{ readonly cwd: string; readonly worktree: AgentWorktree } | { readonly error: string }> {
  const made = await makeWorktree({ name, cwd: cwd(), env, signal, port: worktrees });
  if ("error" in made) return made;
  const { path, branch } = made.made;
  return { cwd: path, worktree: { path, ...(branch === undefined ? {} : { branch }) } };
}
