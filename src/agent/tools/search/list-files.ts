import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { runProcess } from "../../../exec/internal.ts";
import { ignoringErrors } from "../../../files/internal.ts";

export interface ListFilesOptions {
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Whether files that the repository ignores are left out. */
  readonly ignored: "in" | "out";
}

/** The folders in which version control keeps its own things. */
export const controlFolders: readonly string[] = [".git", ".svn", ".hg", ".bzr", ".jj", ".sl"];

const maxFiles = 200_000;

/** How long a search may take. */
export const searchMs = 20_000;

/** Files below a folder, by paths relative to it, in order; links are not followed and control folders not entered. */
export async function listFiles({ root, env, signal, ignored }: ListFilesOptions): Promise<readonly string[]> {
  const files: string[] = [];
  const limit = AbortSignal.any([signal, AbortSignal.timeout(searchMs)]);
  const out = ignored === "out" ? await ignoredBy(root, env, limit) : none;
  await walk(root, "", files, out, limit);
  return files;
}

/** The error for a search that was cut short. */
export const tooSlow: string = `The search took more than ${searchMs / 1_000} s. Narrow it down.`;

interface Ignored {
  has(path: string): boolean;
}

const none: Ignored = { has: () => false };

async function walk(root: string, below: string, files: string[], out: Ignored, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (files.length >= maxFiles) return;
  const entries = await ignoringErrors(
    ["ENOENT", "EACCES", "EPERM", "ENOTDIR", "EINVAL", "EIO"],
    readdir(join(root, below), { withFileTypes: true }),
  );
  for (const entry of (entries ?? []).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isFile()) {
      if (!out.has(path)) files.push(path);
    } else if (entry.isDirectory() && !controlFolders.includes(entry.name) && !out.has(`${path}/`)) {
      await walk(root, path, files, out, signal);
    }
  }
}

/** What git leaves out, as paths from the folder; folders end with a slash. Outside a repository nothing is left out. */
async function ignoredBy(root: string, env: ListFilesOptions["env"], signal: AbortSignal): Promise<Ignored> {
  // The repository's settings may name a program that watches its files; a search runs no program of a repository.
  const args = [
    "-c",
    "core.fsmonitor=false",
    "ls-files",
    "-z",
    "--others",
    "--ignored",
    "--exclude-standard",
    "--directory",
  ];
  const options = { cwd: root, env, signal, timeoutMs: searchMs, capBytes: 64 * 2 ** 20 };
  const { ended, stdout } = await runProcess({ form: "exec", file: "git", args }, options);
  if (ended.by !== "exit" || ended.code !== 0) return none;
  return new Set(stdout.text.split("\0"));
}
