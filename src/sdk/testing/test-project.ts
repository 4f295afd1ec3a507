import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { devNull, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isInside } from "../../files/internal.ts";
import { describeType, sdkProblem } from "../app/argument-checks.ts";

/** A temporary project: a directory with a git repository that no settings of the user reach. */
export interface TestProject {
  /** Its real path. */
  readonly dir: string;
  /** Writes a file, its folders too, and gives its path. */
  write(path: string, text: string): Promise<string>;
  /** The text of a file. */
  read(path: string): Promise<string>;
  /** What git prints. Contract: rejects with git's own message when it fails. */
  git(...args: readonly string[]): Promise<string>;
  /** Everything there is, as one commit. */
  commit(message: string): Promise<void>;
  /** Deletes the project. */
  remove(): Promise<void>;
}

/** Creates a temporary project directory with these files. */
export async function testProject(files: Readonly<Record<string, string>> = {}): Promise<TestProject> {
  for (const [path, text] of Object.entries(files)) {
    const wrong = `The text of "${path}" in testProject must be a string, not ${describeType(text)}.`;
    if (typeof text !== "string") throw sdkProblem("bad-option", wrong);
    fileIn("/project", path);
  }
  const dir = await realpath(await mkdtemp(join(tmpdir(), "hookline-project-")));
  const git = (...args: readonly string[]) => runGit(args, dir);
  const write = async (path: string, text: string) => {
    const file = fileIn(dir, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    return file;
  };
  await git("init", "-q", "-b", "main");
  for (const [path, text] of Object.entries(files)) await write(path, text);
  return {
    dir,
    write,
    read: (path) => readFile(join(dir, path), "utf8"),
    git,
    async commit(message) {
      await git("add", "-A");
      await git("commit", "-q", "--allow-empty", "-m", message);
    },
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}

/** The path of a file in the project. Throws for a path that leads out of it. */
function fileIn(dir: string, path: string): string {
  const file = join(dir, path);
  if (file !== dir && isInside(file, dir)) return file;
  throw sdkProblem("bad-option", `The path "${path}" leads out of the test project. Nothing was written.`, { path });
}

function runGit(args: readonly string[], cwd: string): Promise<string> {
  const who = { name: "Test", email: "test@example.com" };
  const env = {
    PATH: process.env["PATH"] ?? "",
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_SYSTEM: devNull,
    ...{ GIT_AUTHOR_NAME: who.name, GIT_AUTHOR_EMAIL: who.email },
    ...{ GIT_COMMITTER_NAME: who.name, GIT_COMMITTER_EMAIL: who.email },
  };
  return new Promise((done, fail) => {
    execFile("git", [...args], { cwd, env }, (error, stdout, stderr) => {
      if (error) fail(new Error(`git ${args.join(" ")}: ${stderr.trim() || error.message}`, { cause: error }));
      else done(stdout);
    });
  });
}
