import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { resolve, win32 } from "node:path";
import type { FinishedProcess, ProcessEnd, ProcessOptions, RunningProcess } from "./process-run.ts";
import { type SpawnedProcess, supervise } from "./supervise.ts";

/** What to start: a line for the system's shell, a line for PowerShell, or a program and its arguments without a shell. */
export type CommandLine =
  | { readonly form: "shell"; readonly command: string }
  | { readonly form: "powershell"; readonly command: string }
  | { readonly form: "exec"; readonly file: string; readonly args: readonly string[] };

/** Starts a process and waits for its end. */
export function runProcess(command: CommandLine, options: ProcessOptions): Promise<FinishedProcess> {
  return startProcess(command, options).done;
}

/** Starts one process in its own session. Contract: never throws, whether or not the process can be started. */
export function startProcess(command: CommandLine, options: ProcessOptions): RunningProcess {
  const startedAt = performance.now();
  const elapsedMs = (): number => performance.now() - startedAt;
  if (options.signal?.aborted) return neverStarted(Promise.resolve({ by: "cancelled" }), elapsedMs);
  const launched = spawnProgram(command, options);
  if ("failure" in launched) return neverStarted(launched.failure, elapsedMs);
  return supervise(launched, options, elapsedMs);
}

function neverStarted(failure: Promise<ProcessEnd>, elapsedMs: () => number): RunningProcess {
  const nothing = { text: "", droppedBytes: 0 };
  return {
    pid: undefined,
    done: failure.then((ended) => ({ ended, stdout: nothing, stderr: nothing, durationMs: elapsedMs(), leaked: [] })),
    write: ignored,
    endInput: ignored,
    pauseDeadline: ignored,
    resumeDeadline: ignored,
    setDeadline: ignored,
    cancel: ignored,
    soFar: () => ({ stdout: "", stderr: "" }),
    unref: ignored,
  };
}

function ignored(): void {
  // There is no process.
}

type SpawnResult = SpawnedProcess | { readonly failure: Promise<ProcessEnd> };

/** Starts the program of a command line with three pipes, in its own session and group, without a terminal. */
function spawnProgram(command: CommandLine, { cwd, env, tag, inherits }: ProcessOptions): SpawnResult {
  const program = programOf(command, env);
  try {
    const child = spawn(program.file, program.args, {
      cwd,
      env: tag === undefined || env[tag.name] === tag.value ? env : { ...env, [tag.name]: tag.value },
      // On Windows this would open a console window; there `taskkill` ends the tree.
      detached: process.platform !== "win32",
      windowsHide: true,
      stdio: inherits === undefined ? "pipe" : ["pipe", "pipe", "pipe", inherits],
    }) as ChildProcessWithoutNullStreams;
    if (child.pid !== undefined) return { child, pid: child.pid };
    return {
      failure: new Promise((resolve) => {
        child.once("error", (error) => resolve(startFailure(error, program, cwd)));
      }),
    };
  } catch (error) {
    // Some refusals are thrown rather than emitted: a NUL in an argument, an environment too large.
    return { failure: Promise.resolve(startFailure(error, program, cwd)) };
  }
}

/** Why a process could not be started; the message names what is missing. */
function startFailure(error: unknown, { file }: Program, cwd: string): ProcessEnd {
  const { code, message } = error as NodeJS.ErrnoException;
  return { by: "not-started", why: why(code, file, cwd) ?? message, ...(code !== undefined && { code }) };
}

function why(code: string | undefined, file: string, cwd: string): string | undefined {
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      // The error code is the same for a missing program, a missing interpreter and a missing folder.
      if (!canEnter(cwd)) return `The working directory ${cwd} does not exist`;
      if (file.includes("/") && existsSync(resolve(cwd, file)))
        return `The interpreter that ${file} names was not found`;
      return `${file} was not found`;
    case "EACCES":
    case "EPERM":
      if (!canEnter(cwd)) return `The working directory ${cwd} may not be entered`;
      return `${file} may not be executed`;
    case "E2BIG":
      return `The arguments and environment of ${file} are larger than the system allows`;
    case "ERR_INVALID_ARG_VALUE":
      // The system's own message quotes the value, which may be a secret.
      return `The command, its arguments or its environment hold a NUL character`;
    case "ENOEXEC":
      return `${file} is not a program this system can run`;
    case "EMFILE":
    case "ENFILE":
    case "EAGAIN":
    case "ENOMEM":
      return `The system cannot start another process (${code})`;
    default:
      return undefined;
  }
}

function canEnter(folder: string): boolean {
  try {
    accessSync(`${folder}/.`, constants.X_OK);
    return true;
  } catch {
    // The error code of the start already says what is wrong with the folder.
    return false;
  }
}

interface Program {
  readonly file: string;
  readonly args: readonly string[];
}

type Env = ProcessOptions["env"];
type Exists = (path: string) => boolean;

/** The program behind a command line. `$SHELL` is ignored: a line means the same for every user. */
export function programOf(
  command: CommandLine,
  env: Env,
  platform: NodeJS.Platform = process.platform,
  exists: Exists = existsSync,
): Program {
  const isWindows = platform === "win32";
  if (command.form === "exec") {
    const bash = isWindows && /\.sh$/i.test(command.file) ? gitBash(env, exists) : undefined;
    return bash === undefined ? command : { file: bash, args: [command.file, ...command.args] };
  }
  if (command.form === "shell") {
    const shell = isWindows ? gitBash(env, exists) : "/bin/sh";
    if (shell !== undefined) return { file: shell, args: ["-c", command.command] };
  }
  const powershell = isWindows ? windowsPowerShell(env, exists) : "pwsh";
  return { file: powershell, args: ["-NoProfile", "-NonInteractive", "-Command", command.command] };
}

/** Git Bash, which reads command lines on Windows where it is installed: in its usual folders and next to `git`. Never the `bash.exe` of System32: it runs in WSL. */
function gitBash(env: Env, exists: Exists): string | undefined {
  const homes = [
    ...pathFolders(env)
      .filter((folder) => exists(win32.join(folder, "git.exe")))
      .map((folder) => win32.dirname(folder)),
    ...["ProgramFiles", "ProgramW6432", "ProgramFiles(x86)"].flatMap((name) => under(variable(env, name), "Git")),
    ...under(variable(env, "LOCALAPPDATA"), "Programs\\Git"),
  ];
  return homes.map((home) => win32.join(home, "bin", "bash.exe")).find(exists);
}

/** `pwsh` where it is installed, else the PowerShell that comes with Windows. */
function windowsPowerShell(env: Env, exists: Exists): string {
  const found = pathFolders(env)
    .map((folder) => win32.join(folder, "pwsh.exe"))
    .find(exists);
  return found ?? "powershell.exe";
}

function pathFolders(env: Env): string[] {
  return (variable(env, "PATH") ?? "").split(";").filter((folder) => folder !== "");
}

function under(folder: string | undefined, name: string): string[] {
  return folder === undefined ? [] : [win32.join(folder, name)];
}

/** Variable names are case-insensitive on Windows, but the keys of a plain object are not. */
function variable(env: Env, name: string): string | undefined {
  const lower = name.toLowerCase();
  const key = Object.keys(env).find((candidate) => candidate.toLowerCase() === lower);
  return key === undefined ? undefined : env[key];
}
