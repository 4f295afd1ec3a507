import { mkdir, realpath, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { runProcess } from "../exec/internal.ts";
import { errorCode } from "../files/internal.ts";
import { Problem } from "../protocol/internal.ts";

interface Place {
  readonly hooks: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The file to compare with: another one, or with `git:REF` the same one as that commit has it, laid out in `scratch`. */
export async function hooksAt(against: string, place: Place, scratch: string): Promise<string> {
  if (!against.startsWith("git:")) return otherFile(resolve(place.cwd, against));
  const ref = against.slice("git:".length);
  const hooks = await realpath(place.hooks);
  const root = (await git(["rev-parse", "--show-toplevel"], dirname(hooks), place)).trim();
  const commit = await commitAt(ref, root, place);
  const tree = join(scratch, "tree");
  await mkdir(tree, { mode: 0o700 });
  const known = new Set((await git(["ls-tree", "-r", "-z", "--name-only", commit], root, place)).split("\0"));
  const first = relative(root, hooks).split(sep).join("/");
  if (!known.has(first)) {
    throw new Problem("replay/against", `${first} is not in ${ref}. Name a commit that has it.`, {
      about: { ref, first },
    });
  }
  for (const open = [first], done = new Set<string>(); open.length > 0; ) {
    const path = open.pop() ?? "";
    if (done.has(path)) continue;
    done.add(path);
    const text = await git(["cat-file", "blob", `${commit}:${path}`], root, place);
    await mkdir(dirname(join(tree, path)), { recursive: true });
    await writeFile(join(tree, path), text);
    open.push(...importsOf(text).flatMap((to) => found(posix.join(posix.dirname(path), to), known)));
  }
  await linkPackages(root, tree, first);
  return join(tree, first);
}

async function otherFile(path: string): Promise<string> {
  const found = await stat(path).catch((cause: unknown) => {
    const message = `There is no file ${path} to compare with (${errorCode(cause)}). --against takes git:REF or a file.`;
    throw new Problem("replay/against", message, { about: { path }, cause });
  });
  if (found.isFile()) return path;
  throw new Problem("replay/against", `${path} is not a file. --against takes git:REF or a file.`, { about: { path } });
}

async function commitAt(ref: string, root: string, place: Place): Promise<string> {
  try {
    return (await git(["rev-parse", "--verify", "--end-of-options", `${ref}^{commit}`], root, place)).trim();
  } catch (cause) {
    const message = `"${ref}" is not a commit of ${root}. --against takes git:REF or a file.`;
    throw new Problem("replay/against", message, { about: { ref }, cause });
  }
}

/** A file that is imported by its name, by the name its build would have, or without an ending. */
function found(path: string, known: ReadonlySet<string>): readonly string[] {
  const bare = path.replace(/\.[mc]?js$/, "");
  const names = [
    path,
    ...["ts", "mts", "js", "mjs", "json"].flatMap((end) => [`${bare}.${end}`, `${path}/index.${end}`]),
  ];
  return names.filter((name) => known.has(name)).slice(0, 1);
}

function importsOf(text: string): readonly string[] {
  return [...text.matchAll(/(?:from|import|require)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g)].map(([, path = ""]) => path);
}

/** Packages are those of today: a commit does not hold them. */
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

/** A git hook, such as pre-commit, hands on where its own repository is; the one meant here is the one around the hooks file. */
const apart = { GIT_DIR: undefined, GIT_WORK_TREE: undefined, GIT_INDEX_FILE: undefined, GIT_TERMINAL_PROMPT: "0" };

/** Without locks, file monitor and external programs: a repository's own settings must not run anything. */
async function git(args: readonly string[], cwd: string, { env }: Place): Promise<string> {
  const safe = ["--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
  const { ended, stdout, stderr } = await runProcess(
    { form: "exec", file: "git", args: [...safe, ...args] },
    { cwd, env: { ...env, ...apart }, timeoutMs: 20_000, capBytes: 64 * 2 ** 20 },
  );
  if (ended.by === "exit" && ended.code === 0) return stdout.text;
  const why = ended.by === "not-started" ? ended.why : stderr.text.trim().split("\n")[0];
  throw new Problem("replay/against", `git ${args[0]} in ${cwd} says: ${why}. --against takes git:REF or a file.`, {
    about: { args },
  });
}
