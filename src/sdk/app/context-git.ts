import { type ExecFileException, execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { sdkProblem } from "./argument-checks.ts";
import { gitUnavailable, type RunEnvironment } from "./run-environment.ts";

/** The git state of the event's directory. Each command runs once per event. Every method rejects in a replay. */
export interface Git {
  /** The top directory of the working tree; undefined outside a repository. */
  root(): Promise<string | undefined>;
  /** The name of the current branch; undefined on a detached HEAD and outside a repository. */
  branch(): Promise<string | undefined>;
  /** The hash of the current commit; undefined before the first commit and outside a repository. */
  head(): Promise<string | undefined>;
  /** Lines of `git status --porcelain`; empty outside a repository. */
  status(): Promise<readonly string[]>;
  /** The output of `git diff` with these arguments; empty outside a repository. */
  diff(...args: readonly string[]): Promise<string>;
}

/** Runs git without a shell, locks, file monitor and external programs: the settings of a repository must not run anything. */
export function openGit(cwd: string, environment: RunEnvironment): Git {
  if (environment.replay) return unavailable;
  const results = new Map<string, Promise<string | undefined>>();
  const git = (...args: readonly string[]) => {
    const key = args.join("\0");
    const result = results.get(key) ?? run(args, cwd, environment);
    results.set(key, result);
    return result;
  };
  return {
    root: () => git("rev-parse", "--show-toplevel"),
    branch: () => git("symbolic-ref", "--short", "--quiet", "HEAD"),
    head: () => git("rev-parse", "--verify", "--quiet", "HEAD"),
    status: async () => ((await git("status", "--porcelain")) ?? "").split("\n").filter((line) => line !== ""),
    diff: async (...args) => (await git("diff", "--no-ext-diff", "--no-textconv", ...args)) ?? "",
  };
}

function run(args: readonly string[], cwd: string, { env, signal }: RunEnvironment): Promise<string | undefined> {
  const safe = ["--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "diff.external=", "-c", "core.pager=cat"];
  const options = {
    cwd,
    env: { ...env, GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" },
    timeout: limitMs,
    maxBuffer: 16 * 2 ** 20,
    signal,
  };
  return new Promise((resolve, reject) => {
    execFile("git", [...safe, ...args], options, (error, stdout, stderr) => {
      if (!error) resolve(stdout.replace(/\n$/, ""));
      // A number is git's exit code: no repository, or no such ref. Anything else is an error.
      else if (typeof error.code === "number" && !error.killed && !isBroken(args, stderr)) resolve(undefined);
      else reject(sdkProblem("git-failed", `git ${args[0]} failed in ${cwd}: ${whyOf(error, cwd)}`, { args }, error));
    });
  });
}

const limitMs = 5_000;

/** A repository that git cannot or will not read (a damaged index, another owner) must not look like one without changes. */
function isBroken([command]: readonly string[], stderr: string): boolean {
  return command === "status" && !/not a git repository|must be run in a work tree/i.test(stderr);
}

/** Node reports a missing folder as a missing program, and a timeout as a failed command. */
function whyOf(error: ExecFileException, cwd: string): string {
  if (!existsSync(cwd)) return "there is no such directory";
  return error.killed && error.signal === "SIGTERM" ? `timed out after ${limitMs} ms` : error.message;
}

const fail = () => Promise.reject(sdkProblem("unavailable", gitUnavailable));
const unavailable: Git = { root: fail, branch: fail, head: fail, status: fail, diff: fail };
