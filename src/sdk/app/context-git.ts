import { type ExecFileException, execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { sdkProblem } from "./argument-checks.ts";
import type { RunEnvironment } from "./run-environment.ts";

/** Questions to git about the event's folder; each is asked once per event. Undefined where there is no repository. */
export interface Git {
  root(): Promise<string | undefined>;
  branch(): Promise<string | undefined>;
  head(): Promise<string | undefined>;
  /** Lines of `git status --porcelain`. */
  status(): Promise<readonly string[]>;
  diff(...args: readonly string[]): Promise<string>;
}

/** Without shell, locks, file monitor and external programs: a repository's own settings must not run anything. */
export function openGit(cwd: string, world: RunEnvironment): Git {
  if (world.replay) return unavailable;
  const asked = new Map<string, Promise<string | undefined>>();
  const ask = (...args: readonly string[]) => {
    const key = args.join("\0");
    const answer = asked.get(key) ?? run(args, cwd, world);
    asked.set(key, answer);
    return answer;
  };
  return {
    root: () => ask("rev-parse", "--show-toplevel"),
    branch: () => ask("symbolic-ref", "--short", "--quiet", "HEAD"),
    head: () => ask("rev-parse", "--verify", "--quiet", "HEAD"),
    status: async () => ((await ask("status", "--porcelain")) ?? "").split("\n").filter((line) => line !== ""),
    diff: async (...args) => (await ask("diff", "--no-ext-diff", "--no-textconv", ...args)) ?? "",
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
      // A number is git's own status: no repository here, or nothing to name. Anything else is trouble.
      else if (typeof error.code === "number" && !error.killed && !isBroken(args, stderr)) resolve(undefined);
      else reject(sdkProblem("git-failed", `git ${args[0]} failed in ${cwd}: ${whyOf(error, cwd)}`, { args }, error));
    });
  });
}

const limitMs = 5_000;

/** A repository that git cannot or will not read (a damaged index, another owner) is not one without changes. */
function isBroken([command]: readonly string[], stderr: string): boolean {
  return command === "status" && !/not a git repository|must be run in a work tree/i.test(stderr);
}

/** Node reports a missing folder as a missing program, and a timeout as a failed command. */
function whyOf(error: ExecFileException, cwd: string): string {
  if (!existsSync(cwd)) return "there is no such folder";
  return error.killed && error.signal === "SIGTERM" ? `timed out after ${limitMs} ms` : error.message;
}

const gone = () =>
  Promise.reject(sdkProblem("unavailable", "git cannot be asked during a replay: it knows the present, not the past."));
const unavailable: Git = { root: gone, branch: gone, head: gone, status: gone, diff: gone };
