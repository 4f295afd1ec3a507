import { existsSync } from "node:fs";
import { mkdir, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { runProcess } from "../../exec/internal.ts";
import { resolveInside } from "../../permissions/internal.ts";
import { defined, Problem } from "../../protocol/internal.ts";
import type { CurrentWorktree, WorktreePort } from "../tools/tool.ts";

export interface GitContext {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

type GitAnswer = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

/** Runs one git command. It never prompts, the folder alone selects the repository, and no file monitor of the repository runs. */
async function git(args: readonly string[], { cwd, env, signal }: GitContext): Promise<GitAnswer> {
  const own = { GIT_DIR: undefined, GIT_WORK_TREE: undefined, GIT_INDEX_FILE: undefined, GIT_TERMINAL_PROMPT: "0" };
  const command = { form: "exec", file: "git", args: ["-c", "core.fsmonitor=false", ...args] } as const;
  const options = { cwd, env: { ...env, ...own }, timeoutMs: 120_000, signal };
  const { ended, stdout, stderr } = await runProcess(command, options);
  if (ended.by === "exit" && ended.code === 0) return { ok: true, text: stdout.text.replace(/\n$/, "") };
  const output = stderr.text.trim() || stdout.text.trim();
  const end = ended.by === "exit" ? `exit code ${ended.code}` : ended.by;
  const why = ended.by === "not-started" ? ended.why : end;
  return { ok: false, why: output === "" ? `git ${args[0]}: ${why}` : output };
}

/** The folder of the main working copy; undefined outside a repository. */
export async function mainWorktree(place: GitContext): Promise<string | undefined> {
  return (await listWorktrees(place))[0]?.path;
}

/** All worktrees of the repository, the main one first. */
async function listWorktrees(place: GitContext): Promise<readonly Pick<CurrentWorktree, "path" | "branch">[]> {
  const list = await git(["worktree", "list", "--porcelain", "-z"], place);
  if (!list.ok) return [];
  return list.text.split("\0\0").flatMap((record) => {
    const lines = record.split("\0");
    const field = (name: string) => lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
    const path = field("worktree");
    const branch = field("branch")?.replace(/^refs\/heads\//, "");
    return path === undefined ? [] : [{ path, ...defined({ branch }) }];
  });
}

/** An existing worktree of the repository, other than the main one, whose folder matches. */
export async function findWorktree(
  matches: (folder: string) => boolean,
  place: GitContext,
): Promise<CurrentWorktree | undefined> {
  const [main, ...others] = await listWorktrees(place);
  const found = others.find(({ path }) => matches(path));
  if (main === undefined || found === undefined || !existsSync(found.path)) return undefined;
  if (!(await isWorktreeOf(main.path, found.path, place))) return undefined;
  return { name: basename(found.path), ...found, originalCwd: place.cwd, hookBased: false, existing: true };
}

/**
 * Whether a listed folder belongs to this repository. Git makes the list from files in `.git`, which can name any folder of the machine;
 * entering it would make everything below it part of the session.
 */
async function isWorktreeOf(root: string, folder: string, place: GitContext): Promise<boolean> {
  const top = await git(["rev-parse", "--show-toplevel"], { ...place, cwd: folder });
  if (!top.ok || (await realpath(top.text)) !== (await realpath(folder))) return false;
  return (await commonFolder({ ...place, cwd: root })) === (await commonFolder({ ...place, cwd: folder }));
}

async function commonFolder(place: GitContext): Promise<string> {
  const common = await git(["rev-parse", "--git-common-dir"], place);
  return common.ok ? realpath(resolve(place.cwd, common.text)) : place.cwd;
}

export type CreateWorktreeResult = CurrentWorktree | { readonly error: string };

/**
 * Creates a working copy: the folder of a hook, else `.claude/worktrees/<name>` of the repository on a branch `worktree-<name>`. The
 * name is checked by `worktreeNameFault`.
 */
export async function createWorktree(
  name: string,
  port: Pick<WorktreePort, "create">,
  place: GitContext,
): Promise<CreateWorktreeResult> {
  const answer = await port.create(name);
  if (answer.by === "failed") return { error: answer.error };
  if (answer.by === "none") return createWithGit(name, place);
  return { name, path: await realpath(answer.path), originalCwd: place.cwd, hookBased: true };
}

async function createWithGit(name: string, place: GitContext): Promise<CreateWorktreeResult> {
  const [main, ...others] = await listWorktrees(place);
  if (main === undefined) return { error: noRepository };
  const folder = join(main.path, ".claude", "worktrees", name.replaceAll("/", "+"));
  const branch = `worktree-${name.replaceAll("/", "+")}`;
  const common = { name, path: folder, originalCwd: place.cwd, hookBased: false };
  const outside = whyOutside(folder, main.path);
  if (outside !== undefined) return { error: outside };
  const listed = others.find(({ path }) => path === folder);
  if (listed !== undefined) return { ...common, ...listed, existing: true };
  const head = await git(["rev-parse", "--verify", "HEAD"], place);
  if (!head.ok) return { error: `Cannot create a worktree: the repository has no commit yet (${head.why})` };
  await mkdir(dirname(folder), { recursive: true });
  const known = await git(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`], place);
  const on = known.ok ? [folder, branch] : ["-b", branch, folder, head.text];
  const added = await git(["worktree", "add", ...on], place);
  if (!added.ok) return { error: `Failed to create worktree: ${added.why}` };
  return { ...common, branch, baseCommit: known.ok ? known.text : head.text };
}

const noRepository =
  "Cannot create a worktree: not in a git repository and no WorktreeCreate hooks are configured. Configure WorktreeCreate/WorktreeRemove hooks in settings.json to use worktree isolation with other VCS systems.";

/** In a checkout, `.claude/worktrees` may be a link to another place. */
function whyOutside(folder: string, root: string): string | undefined {
  try {
    return resolveInside(folder, [root], { cwd: root }) === folder ? undefined : `${folder} passes through a link.`;
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}

/** Work that would be lost with a worktree. */
interface UnsavedWork {
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

/** `2 uncommitted files and 1 commit on worktree-feat`; empty when nothing would be lost. */
export function unsavedText({ files, commits }: UnsavedWork, branch?: string): string {
  const on = branch === undefined ? "" : ` on ${branch}`;
  const parts = [
    ...(files > 0 ? [`${files} uncommitted ${files === 1 ? "file" : "files"}`] : []),
    ...(commits > 0 ? [`${commits} ${commits === 1 ? "commit" : "commits"}${on}`] : []),
  ];
  return parts.join(" and ");
}

/** Fires WorktreeRemove, then removes what git created. A hook must remove the folder that a hook created; `left` says why a folder is still there. */
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

/** Why a name is not valid for a worktree: it becomes the name of a folder and of a branch. */
export function worktreeNameFault(name: string): string | undefined {
  const segments = name.split("/");
  if (segments.some((segment) => segment === "." || segment === "..")) {
    return `Invalid worktree name "${name}": must not contain "." or ".." path segments`;
  }
  if (!segments.every((segment) => /^[A-Za-z0-9._-]+$/.test(segment))) {
    return `Invalid worktree name "${name}": each "/"-separated segment must be non-empty and contain only letters, digits, dots, underscores, and dashes`;
  }
  if (name.length > maxNameLength) return `Invalid worktree name "${name}": at most ${maxNameLength} characters`;
  const isBranchName = !/^[-.]|\.lock(?:\/|$)|\.\.|\.$|\/[-.]/.test(name);
  return isBranchName ? undefined : `Invalid worktree name "${name}": git does not take it`;
}
