import { existsSync } from "node:fs";
import { mkdir, realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { runProcess } from "../../exec/internal.ts";
import { resolveInside } from "../../permissions/internal.ts";
import { Problem } from "../../protocol/internal.ts";
import type { CurrentWorktree, WorktreePort } from "../tools/tool.ts";

export interface GitContext {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

export type GitAnswer = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

/** One git command. It asks nobody for anything, the folder alone says which repository is meant, and no file monitor of it is run. */
export async function git(args: readonly string[], { cwd, env, signal }: GitContext): Promise<GitAnswer> {
  const apart = { GIT_DIR: undefined, GIT_WORK_TREE: undefined, GIT_INDEX_FILE: undefined, GIT_TERMINAL_PROMPT: "0" };
  const command = { form: "exec", file: "git", args: ["-c", "core.fsmonitor=false", ...args] } as const;
  const { ended, stdout, stderr } = await runProcess(command, {
    cwd,
    env: { ...env, ...apart },
    timeoutMs: 120_000,
    signal,
  });
  if (ended.by === "exit" && ended.code === 0) return { ok: true, text: stdout.text.replace(/\n$/, "") };
  const output = stderr.text.trim() || stdout.text.trim();
  const fate = ended.by === "exit" ? `exit code ${ended.code}` : ended.by === "not-started" ? ended.why : ended.by;
  return { ok: false, why: output === "" ? `git ${args[0]}: ${fate}` : output };
}

/** The folder of the main working copy, wherever in the repository one stands. */
export async function mainWorktree(place: GitContext): Promise<string | undefined> {
  const list = await git(["worktree", "list", "--porcelain", "-z"], place);
  return list.ok ? worktreesIn(list.text)[0]?.path : undefined;
}

/**
 * Whether a listed folder knows of this repository too. The list is made from files in `.git`, which can name any folder of the
 * machine; going into it would make all below it count as the session's own.
 */
export async function isWorktreeOf(root: string, folder: string, place: Omit<GitContext, "cwd">): Promise<boolean> {
  const top = await git(["rev-parse", "--show-toplevel"], { ...place, cwd: folder });
  if (!top.ok || (await realpath(top.text)) !== (await realpath(folder))) return false;
  return (await commonFolder({ ...place, cwd: root })) === (await commonFolder({ ...place, cwd: folder }));
}

async function commonFolder(place: GitContext): Promise<string> {
  const common = await git(["rev-parse", "--git-common-dir"], place);
  return common.ok ? realpath(resolve(place.cwd, common.text)) : place.cwd;
}

export interface ListedWorktree {
  readonly path: string;
  readonly branch?: string;
}

export async function listWorktrees(place: GitContext): Promise<readonly ListedWorktree[]> {
  const list = await git(["worktree", "list", "--porcelain", "-z"], place);
  return list.ok ? worktreesIn(list.text) : [];
}

function worktreesIn(text: string): ListedWorktree[] {
  return text
    .split("\0\0")
    .map((record) => record.split("\0"))
    .flatMap((lines) => {
      const field = (name: string) => lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
      const path = field("worktree");
      const branch = field("branch")?.replace(/^refs\/heads\//, "");
      return path === undefined ? [] : [{ path, ...(branch === undefined ? {} : { branch }) }];
    });
}

export interface CreateWorktreeOptions {
  /** Checked by `nameFault`. */
  readonly name: string;
  /** Where the session is now. */
  readonly cwd: string;
  readonly env: GitContext["env"];
  readonly signal: AbortSignal;
  /** Asked first: a hook's folder takes the place of git's. */
  readonly port: Pick<WorktreePort, "create">;
}

export type CreateWorktreeResult = { readonly made: CurrentWorktree } | { readonly error: string };

/** A working copy of one's own: where a hook says, else `.claude/worktrees/<name>` of the repository on a branch `worktree-<name>`. */
export async function createWorktree({
  name,
  cwd,
  env,
  signal,
  port,
}: CreateWorktreeOptions): Promise<CreateWorktreeResult> {
  const answer = await port.create(name);
  if (answer.by === "failed") return { error: answer.error };
  if (answer.by === "hook") {
    return { made: { name, path: await realpath(answer.path), originalCwd: cwd, hookBased: true } };
  }
  return makeWithGit(name, { cwd, env, signal });
}

async function makeWithGit(name: string, place: GitContext): Promise<CreateWorktreeResult> {
  const root = await mainWorktree(place);
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

/** What would be lost with a worktree. */
export interface UnsavedWork {
  readonly files: number;
  readonly commits: number;
}

export async function unsavedIn(worktree: CurrentWorktree, place: Omit<GitContext, "cwd">): Promise<UnsavedWork> {
  if (worktree.hookBased || !existsSync(worktree.path)) return { files: 0, commits: 0 };
  const inside = { ...place, cwd: worktree.path };
  const status = await git(["status", "--porcelain", "-z", "--no-renames"], inside);
  const files = status.ok ? status.text.split("\0").filter((line) => line !== "").length : 0;
  const base = worktree.baseCommit;
  const ahead = base === undefined ? undefined : await git(["rev-list", "--count", `${base}..HEAD`], inside);
  return { files, commits: ahead?.ok ? Number(ahead.text) : 0 };
}

/** `2 uncommitted files and 1 commit on worktree-feat`, or nothing. */
export function unsavedText({ files, commits }: UnsavedWork, branch?: string): string {
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
  place: Omit<GitContext, "cwd">,
): Promise<{ readonly left?: string }> {
  await port.remove(worktree.path);
  if (!worktree.hookBased && existsSync(worktree.path)) {
    const root = await mainWorktree({ ...place, cwd: worktree.path });
    if (root === undefined || root === worktree.path) return { left: "it is not a worktree of a repository" };
    const removed = await git(["worktree", "remove", "--force", worktree.path], { ...place, cwd: root });
    if (!removed.ok) return { left: removed.why };
    if (worktree.branch !== undefined) await git(["branch", "-D", worktree.branch], { ...place, cwd: root });
  }
  return existsSync(worktree.path) ? { left: "no WorktreeRemove hook has removed it" } : {};
}

const maxNameLength = 64;

/** Why a name cannot be a worktree's: it becomes a folder and a branch. */
export function worktreeNameFault(name: string): string | undefined {
  const segments = name.split("/");
  if (segments.some((segment) => segment === "." || segment === "..")) {
    return `Invalid worktree name "${name}": must not contain "." or ".." path segments`;
  }
  if (!segments.every((segment) => /^[A-Za-z0-9._-]+$/.test(segment))) {
    return `Invalid worktree name "${name}": each "/"-separated segment must be non-empty and contain only letters, digits, dots, underscores, and dashes`;
  }
  if (name.length > maxNameLength) return `Invalid worktree name "${name}": at most ${maxNameLength} characters`;
  // Git has rules of its own for branches.
  return /^[-.]|\.lock(?:\/|$)|\.\.|\.$|\/[-.]/.test(name)
    ? `Invalid worktree name "${name}": git does not take it`
    : undefined;
}
