import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { run } from "../../exec/index.ts";

export interface GitPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

export type GitAnswer = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

/** One git command. It asks nobody for anything, the folder alone says which repository is meant, and no file monitor of it is run. */
export async function git(args: readonly string[], { cwd, env, signal }: GitPlace): Promise<GitAnswer> {
  const apart = { GIT_DIR: undefined, GIT_WORK_TREE: undefined, GIT_INDEX_FILE: undefined, GIT_TERMINAL_PROMPT: "0" };
  const command = { form: "exec", file: "git", args: ["-c", "core.fsmonitor=false", ...args] } as const;
  const { ended, stdout, stderr } = await run(command, { cwd, env: { ...env, ...apart }, timeoutMs: 120_000, signal });
  if (ended.by === "exit" && ended.code === 0) return { ok: true, text: stdout.text.replace(/\n$/, "") };
  const said = stderr.text.trim() || stdout.text.trim();
  const fate = ended.by === "exit" ? `exit code ${ended.code}` : ended.by === "not-started" ? ended.why : ended.by;
  return { ok: false, why: said === "" ? `git ${args[0]}: ${fate}` : said };
}

/** The folder of the main working copy, wherever in the repository one stands. */
export async function mainCopy(place: GitPlace): Promise<string | undefined> {
  const list = await git(["worktree", "list", "--porcelain", "-z"], place);
  return list.ok ? worktreesIn(list.text)[0]?.path : undefined;
}

/**
 * Whether a listed folder knows of this repository too. The list is made from files in `.git`, which can name any folder of the
 * machine; going into it would make all below it count as the session's own.
 */
export async function isWorktreeOf(root: string, folder: string, place: Omit<GitPlace, "cwd">): Promise<boolean> {
  const top = await git(["rev-parse", "--show-toplevel"], { ...place, cwd: folder });
  if (!top.ok || (await realpath(top.text)) !== (await realpath(folder))) return false;
  return (await commonFolder({ ...place, cwd: root })) === (await commonFolder({ ...place, cwd: folder }));
}

async function commonFolder(place: GitPlace): Promise<string> {
  const common = await git(["rev-parse", "--git-common-dir"], place);
  return common.ok ? realpath(resolve(place.cwd, common.text)) : place.cwd;
}

export interface ListedWorktree {
  readonly path: string;
  readonly branch?: string;
}

export async function listWorktrees(place: GitPlace): Promise<readonly ListedWorktree[]> {
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
