import { mkdir, realpath, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { runProcess } from "../exec/internal.ts";
import { errorCode } from "../files/internal.ts";
import { Problem } from "../protocol/internal.ts";

interface HooksLocation {
  readonly hooks: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The hooks file to compare with: another file, or for `git:REF` the same file in that commit, checked out into `scratch`. */
export async function hooksAt(against: string, location: HooksLocation, scratch: string): Promise<string> {
  if (!against.startsWith("git:")) return otherFile(resolve(location.cwd, against));
  const ref = against.slice("git:".length);
  const hooks = await realpath(location.hooks);
  const root = (await git(["rev-parse", "--show-toplevel"], dirname(hooks), location)).trim();
  const commit = await commitAt(ref, root, location);
  const tree = join(scratch, "tree");
  await mkdir(tree, { mode: 0o700 });
  const committed = new Set((await git(["ls-tree", "-r", "-z", "--name-only", commit], root, location)).split("\0"));
  const first = relative(root, hooks).split(sep).join("/");
  if (!committed.has(first)) {
    const message = `${first} is not in ${ref}. Name a commit that has it.`;
    throw new Problem("replay/against", message, { about: { ref, first } });
  }
  // A set visits members that are added during the iteration.
  const paths = new Set([first]);
  for (const path of paths) {
    const text = await git(["cat-file", "blob", `${commit}:${path}`], root, location);
    await mkdir(dirname(join(tree, path)), { recursive: true });
    await writeFile(join(tree, path), text);
    for (const to of importsOf(text)) {
      const imported = importedFile(posix.join(posix.dirname(path), to), committed);
      if (imported !== undefined) paths.add(imported);
    }
  }
  await linkPackages(root, tree, first);
  return join(tree, first);
}

async function otherFile(path: string): Promise<string> {
  const stats = await stat(path).catch((cause: unknown) => {
    const message = `${path} cannot be read (${errorCode(cause)}). --against takes git:REF or a file.`;
    throw new Problem("replay/against", message, { about: { path }, cause });
  });
  if (stats.isFile()) return path;
  throw new Problem("replay/against", `${path} is not a file. --against takes git:REF or a file.`, { about: { path } });
}

async function commitAt(ref: string, root: string, location: HooksLocation): Promise<string> {
  try {
    return (await git(["rev-parse", "--verify", "--end-of-options", `${ref}^{commit}`], root, location)).trim();
  } catch (cause) {
    const message = `"${ref}" is not a commit of ${root}. --against takes git:REF or a file.`;
    throw new Problem("replay/against", message, { about: { ref }, cause });
  }
}

/** Resolves an import by its exact name, the name of its build output, or without an extension. */
function importedFile(path: string, committed: ReadonlySet<string>): string | undefined {
  const bare = path.replace(/\.[mc]?js$/, "");
  const names = [
    path,
    ...["ts", "mts", "js", "mjs", "json"].flatMap((end) => [`${bare}.${end}`, `${path}/index.${end}`]),
  ];
  return names.find((name) => committed.has(name));
}

function importsOf(text: string): readonly string[] {
  return [...text.matchAll(/(?:from|import|require)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g)].map(([, path = ""]) => path);
}

/** Links the packages that are installed now: a commit does not contain them. */
async function linkPackages(root: string, tree: string, first: string): Promise<void> {
  const folders = posix.dirname(first).split("/");
  for (let depth = 0; depth <= folders.length; depth++) {
    const below = folders.slice(0, depth).join("/");
    try {
      const packages = await realpath(join(root, below, "node_modules"));
      await symlink(packages, join(tree, below, "node_modules"));
    } catch (error) {
      if (!["ENOENT", "EEXIST"].includes(errorCode(error) ?? "")) throw error;
    }
  }
}

/** A git hook passes on variables of its own repository; here the repository of the hooks file counts. */
const gitEnv = { GIT_DIR: undefined, GIT_WORK_TREE: undefined, GIT_INDEX_FILE: undefined, GIT_TERMINAL_PROMPT: "0" };

/** Runs git without locks, file monitor and hooks: a repository's settings must not start a program. */
async function git(args: readonly string[], cwd: string, { env }: HooksLocation): Promise<string> {
  const safe = ["--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
  const { ended, stdout, stderr } = await runProcess(
    { form: "exec", file: "git", args: [...safe, ...args] },
    { cwd, env: { ...env, ...gitEnv }, timeoutMs: 20_000, capBytes: 64 * 2 ** 20 },
  );
  if (ended.by === "exit" && ended.code === 0) return stdout.text;
  const why = ended.by === "not-started" ? ended.why : stderr.text.trim().split("\n")[0];
  const message = `git ${args[0]} in ${cwd} failed: ${why}. --against takes git:REF or a file.`;
  throw new Problem("replay/against", message, { about: { args } });
}
