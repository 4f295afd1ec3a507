import { open, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type ProcessEnd,
  type ProcessOptions,
  type RunningProcess,
  runProcess,
  runTag,
  startProcess,
} from "../../../exec/internal.ts";
import { ignoringErrors, openFlags, openFolder } from "../../../files/internal.ts";
import { defined } from "../../../protocol/internal.ts";
import type { ToolContext } from "../tool.ts";

export interface ShellEnd {
  readonly ended: ProcessEnd;
  /** It was ended because its output exceeded the limit. */
  readonly flooded: boolean;
  /** The env file that was being read when the shell ended, before the command was reached. */
  readonly stoppedIn?: string;
  /** The working directory at the end of a command that succeeded. */
  readonly folder?: string;
}

/** A background command has no signal. */
export interface ShellOptions extends Pick<ProcessOptions, "timeoutMs" | "signal"> {
  readonly command: string;
  readonly envFiles: readonly string[];
}

const checkEveryMs = 50;
/** The time from SIGTERM to SIGKILL. At the end of a session all commands exit before the time of hooks is used up. */
const graceMs = 1_000;
/** Far more than is ever read, far less than a disk. */
export const maxShellOutputBytes: number = 256 * 2 ** 20;

/** Runs a command in bash, in its own session and process group. Its output goes to a file that only this user can read. */
export async function startShell(options: ShellOptions, context: ToolContext) {
  const outputPath = await makeOutput(context);
  const { command, envFiles, timeoutMs, signal } = options;
  const args = ["--noprofile", "--norc", "-c", shellScript, "/bin/bash", outputPath, ...envFiles];
  const running = startProcess(
    { form: "exec", file: "/bin/bash", args },
    {
      cwd: context.cwd(),
      env: { ...context.env, ...ownVariables(context) },
      tag: { name: runTag, value: `${context.shells.tag}/${context.toolUseId}` },
      input: command,
      timeoutMs,
      graceMs,
      ...defined({ signal }),
    },
  );
  return { outputPath, done: follow(running, outputPath), cancel: running.cancel };
}

/** Variables of every command: startup files are not read, and an editor that git opens closes at once. */
function ownVariables({ sessionId }: ToolContext): Record<string, string | undefined> {
  return {
    SHELL: "/bin/bash",
    BASH_ENV: undefined,
    ENV: undefined,
    GIT_EDITOR: "true",
    CLAUDECODE: "1",
    CLAUDE_CODE_SESSION_ID: sessionId,
    CLAUDE_CODE_ENTRYPOINT: "hookline",
    CLAUDE_PROJECT_DIR: undefined,
  };
}

async function makeOutput({ paths, newId, shells }: ToolContext): Promise<string> {
  shells.writesTo(paths.outputs);
  // They are below a folder that every user may write to, so each of them must be ours alone.
  for (const folder of [dirname(dirname(paths.outputs)), dirname(paths.outputs), paths.outputs])
    await openFolder(folder);
  const path = join(paths.outputs, `${newId()}.output`);
  await (await open(path, openFlags.creating, 0o600)).close();
  return path;
}

async function follow(running: RunningProcess, outputPath: string): Promise<ShellEnd> {
  let flooded = false;
  const watch = setInterval(async () => {
    // A command can remove the file or its folder; what it then writes is not counted.
    const found = await stat(outputPath).catch(() => undefined);
    if (found === undefined || found.size <= maxShellOutputBytes) return;
    flooded = true;
    running.cancel();
  }, checkEveryMs);
  const { ended, stdout } = await running.done;
  clearInterval(watch);
  return { ended, flooded, ...readControlLines(stdout.text) };
}

/**
 * What bash is given, on one line so that its messages count lines from the command's own. The command comes on stdin. Its output goes
 * to the file `$1`, both streams in the order of writing: what a command leaves running neither blocks us nor loses its output. The pipe
 * in its place carries our control lines and is closed while foreign code runs: `env <file>` before each env file, `go` before the
 * command, `pwd <folder>` after a command that succeeded.
 */
const shellScript: string = [
  `IFS= builtin read -r -d '' hookline_command; exec 9>&1 >>"$1" 2>&1 </dev/null; shift`,
  `for hookline_file in "$@"; do builtin echo "env $hookline_file" >&9`,
  `builtin . "$hookline_file" 9>&- >/dev/null 2>&1; done`,
  "builtin set --; builtin unset hookline_file; builtin echo go >&9",
  'builtin eval "builtin unset hookline_command; $hookline_command" 9>&-; hookline_code=$?',
  '[ "$hookline_code" -eq 0 ] && builtin echo "pwd $(builtin pwd -P)" >&9; builtin exit "$hookline_code"',
].join("; ");

function readControlLines(text: string): Pick<ShellEnd, "stoppedIn" | "folder"> {
  const at = `\n${text}`.indexOf("\ngo\n");
  if (at < 0) {
    const file = text.split("\n").findLast((line) => line.startsWith("env "));
    return file === undefined ? {} : { stoppedIn: file.slice("env ".length) };
  }
  const folder = text.slice(at + "go\n".length).replace(/\n$/, "");
  return folder.startsWith("pwd /") ? { folder: folder.slice("pwd ".length) } : {};
}

/** The env files in a session's folder `session-env/<session>`, in the order in which they were last written. */
export async function envFilesOf(folder: string): Promise<string[]> {
  const names = (await ignoringErrors(["ENOENT"], readdir(folder))) ?? [];
  const files: { path: string; writtenAt: number }[] = [];
  const envNames = names.filter((name) => /^[a-z]+-hook-\d+\.sh$/.test(name));
  for (const name of envNames.sort((a, b) => a.localeCompare(b, "en", { numeric: true }))) {
    const path = join(folder, name);
    const found = await ignoringErrors(["ENOENT"], stat(path));
    if (found?.isFile() && found.size > 0) files.push({ path, writtenAt: found.mtimeMs });
  }
  return files.sort((a, b) => a.writtenAt - b.writtenAt).map(({ path }) => path);
}

export type EnvFileCheck = ReturnType<typeof openEnvFileCheck>;

/** Finds the env files that bash can read. An unreadable one is reported once and tried again when it changes. */
export function openEnvFileCheck() {
  const verdicts = new Map<string, boolean>();

  async function usable(context: ToolContext): Promise<readonly string[]> {
    const good: string[] = [];
    for (const path of await context.envFiles()) {
      const version = await versionOf(path);
      if (!verdicts.has(version)) {
        const fault = await faultOf(path, context);
        verdicts.set(version, fault === undefined);
        if (fault !== undefined) context.tell(`The env file ${path} is skipped: ${fault}`);
      }
      if (verdicts.get(version)) good.push(path);
    }
    return good;
  }

  /** Leaves out a file that ended the shell. */
  async function drop(path: string, context: ToolContext): Promise<void> {
    verdicts.set(await versionOf(path), false);
    context.tell(`The env file ${path} is skipped: it ends the shell.`);
  }

  return { usable, drop };
}

async function versionOf(path: string): Promise<string> {
  const found = await ignoringErrors(["ENOENT"], stat(path));
  return `${path} ${found?.mtimeMs} ${found?.size} ${found?.ino}`;
}

/** `bash -n` reads without running. */
async function faultOf(path: string, { env, cwd, signal }: ToolContext): Promise<string | undefined> {
  const args = ["--noprofile", "--norc", "-n", path];
  const options = { cwd: cwd(), env: { ...env, BASH_ENV: undefined }, timeoutMs: 5_000, signal };
  const { ended, stderr } = await runProcess({ form: "exec", file: "/bin/bash", args }, options);
  if (ended.by === "exit" && ended.code === 0) return undefined;
  return stderr.text.trim().split("\n")[0] || `bash could not read it (${ended.by})`;
}
