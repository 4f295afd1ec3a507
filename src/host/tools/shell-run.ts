import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Ended, type Running, start } from "../../exec/index.ts";
import { openFolder } from "../../files/index.ts";
import { runTag } from "./background-shells.ts";
import { readShellWords, shellScript } from "./shell-script.ts";
import type { ToolContext } from "./tool.ts";

export interface StartedShell {
  readonly outputPath: string;
  readonly done: Promise<ShellEnd>;
  cancel(): void;
}

export interface ShellEnd {
  readonly ended: Ended;
  /** The output grew beyond the limit, and that is why it was ended. */
  readonly flooded: boolean;
  readonly stoppedIn?: string;
  readonly folder?: string;
}

export interface ShellOptions {
  readonly command: string;
  readonly envFiles: readonly string[];
  readonly timeoutMs: number;
  /** Absent for a command that goes on when the call is over. */
  readonly signal?: AbortSignal;
}

const lookEveryMs = 50;
/** From the request to end to the kill: at the end of a session all commands are gone before hooks have used up their time. */
const graceMs = 1_000;
/** Far more than anybody reads, far less than a disk. */
export const mostOutputBytes: number = 256 * 2 ** 20;

/** Starts bash on a command, in a session and process group of its own, its output in a file for its owner only. */
export async function startShell(options: ShellOptions, context: ToolContext): Promise<StartedShell> {
  const outputPath = await makeOutput(context);
  const { command, envFiles, timeoutMs, signal } = options;
  const args = ["--noprofile", "--norc", "-c", shellScript, "/bin/bash", outputPath, ...envFiles];
  const running = start(
    { form: "exec", file: "/bin/bash", args },
    {
      cwd: context.cwd(),
      env: { ...context.env, ...ownVariables(context) },
      tag: { name: runTag, value: `${context.shells.tag(context.env[runTag])}/${context.toolUseId}` },
      input: command,
      timeoutMs,
      graceMs,
      ...(signal === undefined ? {} : { signal }),
    },
  );
  return { outputPath, done: follow(running, outputPath), cancel: running.cancel };
}

/** What every command finds in its environment; startup files are not read, and an editor that git opens closes at once. */
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
  // Below a folder that anybody may write to: each step must be ours alone.
  for (const folder of [dirname(dirname(paths.outputs)), dirname(paths.outputs), paths.outputs])
    await openFolder(folder);
  const path = join(paths.outputs, `${newId()}.output`);
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW;
  await (await open(path, flags, 0o600)).close();
  return path;
}

async function follow(running: Running, outputPath: string): Promise<ShellEnd> {
  let flooded = false;
  const watch = setInterval(async () => {
    // A command can take the file or its folder away; what it then writes is no output of ours.
    const size = await stat(outputPath).then(
      (found) => found.size,
      () => 0,
    );
    if (size <= mostOutputBytes) return;
    flooded = true;
    running.cancel();
  }, lookEveryMs);
  const { ended, stdout } = await running.done;
  clearInterval(watch);
  return { ended, flooded, ...readShellWords(stdout.text) };
}
