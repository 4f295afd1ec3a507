import { mkdir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { resolveInside } from "../../permissions/index.ts";
import { Problem } from "../../protocol/index.ts";
import type { CurrentWorktree, WorktreePort } from "../tools/tool.ts";
import { type GitPlace, git, listWorktrees, mainCopy } from "./git.ts";

export interface WorktreeWish {
  /** Checked by `nameFault`. */
  readonly name: string;
  /** Where the session is now. */
  readonly cwd: string;
  readonly env: GitPlace["env"];
  readonly signal: AbortSignal;
  /** Asked first: a hook's folder takes the place of git's. */
  readonly port: Pick<WorktreePort, "create">;
}

export type MadeWorktree = { readonly made: CurrentWorktree } | { readonly error: string };

/** A working copy of one's own: where a hook says, else `.claude/worktrees/<name>` of the repository on a branch `worktree-<name>`. */
export async function makeWorktree({ name, cwd, env, signal, port }: WorktreeWish): Promise<MadeWorktree> {
  const answer = await port.create(name);
  if (answer.by === "failed") return { error: answer.error };
  if (answer.by === "hook") {
    return { made: { name, path: await realpath(answer.path), originalCwd: cwd, hookBased: true } };
  }
  return makeWithGit(name, { cwd, env, signal });
}

async function makeWithGit(name: string, place: GitPlace): Promise<MadeWorktree> {
  const root = await mainCopy(place);
  if (root === undefined) {
    return {
      error:
        "Cannot create a worktree: not in a git repository and no WorktreeCreate hooks are configured. Configure WorktreeCreate/WorktreeRemove hooks in settings.json to use worktree isolation with other VCS systems.",
    };
  }
  const folder = join(root, ".claude", "worktrees", name.replaceAll("/", "+"));
  const branch = `worktree-${name.replaceAll("/", "+")}`;
  const common = { name, path: folder, originalCwd: place.cwd, hookBased: false };
  const outside = whyOutside(folder, root);
  if (outside !== undefined) return { error: outside };
  const there = (await listWorktrees(place)).find(({ path }) => path === folder);
  if (there !== undefined) {
    return { made: { ...common, existing: true, ...(there.branch === undefined ? {} : { branch: there.branch }) } };
  }
  const head = await git(["rev-parse", "--verify", "HEAD"], place);
  if (!head.ok) return { error: `Cannot create a worktree: the repository has no commit yet (${head.why})` };
  await mkdir(dirname(folder), { recursive: true });
  const known = await git(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`], place);
  const on = known.ok ? [folder, branch] : ["-b", branch, folder, head.text];
  const added = await git(["worktree", "add", ...on], place);
  if (!added.ok) return { error: `Failed to create worktree: ${added.why}` };
  return { made: { ...common, branch, baseCommit: known.ok ? known.text : head.text } };
}

/** A checkout may hold `.claude/worktrees` as a link to elsewhere. */
function whyOutside(folder: string, root: string): string | undefined {
  try {
    return resolveInside(folder, [root], { cwd: root }) === folder ? undefined : `${folder} passes through a link.`;
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}
