import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { runProcess } from "../../../exec/internal.ts";
import { ignoringErrors } from "../../../files/internal.ts";

export interface SearchPlace {
  /** The folder that is searched. */
  readonly root: string;
  /** One file of it, when only that is meant. */
  readonly file?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** The folders in which version control keeps its own things. */
export const controlFolders: readonly string[] = [".git", ".svn", ".hg", ".bzr", ".jj", ".sl"];

const maxFiles = 200_000;

/** How long a search may take. */
export const searchMs = 20_000;

/**
 * Sorted paths of the files below a folder, relative to it; undefined when it took too long or was interrupted. Links are not followed,
 * control folders not entered. `ignored`: what the repository ignores.
 */
export async function listFiles(place: SearchPlace, ignored: "in" | "out"): Promise<readonly string[] | undefined> {
  const { root, env, signal } = place;
  const files: string[] = [];
  const limit = AbortSignal.any([signal, AbortSignal.timeout(searchMs)]);
  const out = ignored === "out" ? await ignoredBy(root, env, limit) : new Set<string>();
  async function walk(below: string): Promise<void> {
    if (limit.aborted || files.length >= maxFiles) return;
    const entries = await ignoringErrors(
      ["ENOENT", "EACCES", "EPERM", "ENOTDIR", "EINVAL", "EIO"],
      readdir(join(root, below), { withFileTypes: true }),
    );
    for (const entry of (entries ?? []).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isFile()) {
        if (!out.has(path)) files.push(path);
      } else if (entry.isDirectory() && !controlFolders.includes(entry.name) && !out.has(`${path}/`)) {
        await walk(path);
      }
    }
  }
  await walk("");
  return limit.aborted ? undefined : files;
}

/** The error for a search that was cut short. */
export const tooSlow: string = `The search took more than ${searchMs / 1_000} s. Narrow it down.`;

/** What git leaves out, as paths from the folder; folders end with a slash. Outside a repository nothing is left out. */
async function ignoredBy(root: string, env: SearchPlace["env"], signal: AbortSignal): Promise<ReadonlySet<string>> {
  // The repository's settings may name a program that watches its files; a search runs no program of a repository.
  const args = ["-c", "core.fsmonitor=false", "ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory"];
  const options = { cwd: root, env, signal, timeoutMs: searchMs, capBytes: 64 * 2 ** 20 };
  const { ended, stdout } = await runProcess({ form: "exec", file: "git", args }, options);
  return new Set(ended.by === "exit" && ended.code === 0 ? stdout.text.split("\0") : []);
}
