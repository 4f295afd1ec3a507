// Commits what changed whenever the agent stops, so that every turn can be looked at and taken back.
// app.include(commitOnStop({ message: "wip: by the agent", untracked: false }));
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { type Blueprint, blueprint, systemMessage } from "hookline/sdk";

export interface CommitOnStopOptions {
  readonly message?: string;
  /** Whether new files go in as well; what git ignores never does. */
  readonly untracked?: boolean;
  /** Branches on which nothing is committed. */
  readonly except?: readonly string[];
}

export function commitOnStop(options: CommitOnStopOptions = {}): Blueprint {
  const types = { message: "string", untracked: "boolean", except: "string[]" } as const;
  const part = blueprint("commit-on-stop", options, types);
  const { message = "wip: a turn of the agent", untracked = true, except = ["main", "master"] } = options;
  const when = (_: unknown, { replay }: { replay: boolean }) => !replay;
  part.onStop({ name: "commit-on-stop", onFailure: "continue", when }, async (_event, { git, cwd, signal }) => {
    const [root, branch, changes] = await Promise.all([git.root(), git.branch(), git.status()]);
    const own = changes.filter((line) => untracked || !line.startsWith("??"));
    if (root === undefined || branch === undefined || except.includes(branch) || own.length === 0) return undefined;
    // Both letters of a conflict are among these; a merge is for people to finish.
    if (own.some((line) => /^(?:DD|AU|UD|UA|DU|AA|UU)/.test(line)))
      return systemMessage("Not committed: there are conflicts.");
    const run = (...words: string[]) => promisify(execFile)("git", ["-C", root, ...words], { cwd, signal });
    const unfinished = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"].flatMap((name) => ["--git-path", name]);
    const { stdout } = await run("rev-parse", ...unfinished);
    if (
      stdout
        .trim()
        .split("\n")
        .some((path) => existsSync(resolve(root, path)))
    )
      return systemMessage("Not committed: a merge is not finished.");
    await run("add", untracked ? "--all" : "--update");
    await run("commit", "--quiet", "--message", message);
    return systemMessage(`Committed ${own.length} changed ${own.length === 1 ? "file" : "files"} on ${branch}.`);
  });
  return part;
}
