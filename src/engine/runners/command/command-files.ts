import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, openFolder, sha256, writePrivate } from "../../../files/internal.ts";
import { type CommandHook, messageOf } from "../../../protocol/internal.ts";
import { spillFolder } from "../../fire/answer-files.ts";
import type { HookRun } from "../../fire/fire.ts";
import type { MaybeAsync } from "../run-limits.ts";
import type { RunnerResult } from "../runner-result.ts";

export interface PreparedFiles {
  readonly variables: Readonly<Record<string, string>>;
  /** Takes the input file away and notes an env file that was written to. */
  readonly afterRun?: (ran: RunnerResult) => Promise<RunnerResult>;
}

/** The files a hook gets besides its stdin. Most hooks need none, and then nothing is touched. */
export function prepareFiles(hook: CommandHook, run: HookRun): MaybeAsync<PreparedFiles | { failed: string }> {
  const getsEnvFile = run.event.row.special.envFile === true && hook.shell !== "powershell";
  const wantsInput = wantsInputFile(hook);
  return getsEnvFile || wantsInput ? makeFiles(run, getsEnvFile, wantsInput) : noFiles;
}

const noFiles: PreparedFiles = { variables: {} };

async function makeFiles(
  { event: { row, payload, services }, hook, line }: HookRun,
  getsEnvFile: boolean,
  wantsInput: boolean,
): Promise<PreparedFiles | { failed: string }> {
  const sessionId = String(payload["session_id"]);
  const { options } = services;
  try {
    const input = wantsInput ? await inputFile(line, spillFolder(options, sessionId)) : undefined;
    const envFile = getsEnvFile ? await envFilePath(options.envFileRoot, sessionId, row.name, hook.order) : undefined;
    return {
      variables: { ...input?.variables, ...(envFile === undefined ? {} : { CLAUDE_ENV_FILE: envFile }) },
      afterRun: async (ran) => {
        await input?.remove();
        const written = envFile === undefined ? undefined : await writtenEnvFile(envFile);
        return written === undefined ? ran : { ...ran, envFile: written };
      },
    };
  } catch (error) {
    return { failed: `its files could not be prepared: ${messageOf(error)}` };
  }
}

/** The payload as a private file, for hooks that ask for one. */
interface InputFile {
  readonly variables: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/** Most hooks read stdin and need no file. */
function wantsInputFile({ command, args = [], inputFile }: CommandHook): boolean {
  return inputFile === true || command.includes(variable) || args.some((text) => text.includes(variable));
}

const variable = "HOOK_INPUT_FILE";

async function inputFile(line: string, folder: string): Promise<InputFile> {
  const path = await writePrivate(folder, line, { prefix: "input-", suffix: ".json" });
  return { variables: { [variable]: path }, remove: () => removeFile(path) };
}

/** `$ARGUMENTS` of a shell command, from the environment: payload text is never pasted into a command line. */
export function argumentsVariable(hook: CommandHook, line: string): Readonly<Record<string, string>> {
  return namesArguments(hook) ? { ARGUMENTS: line } : {};
}

/** Why a command that reads the payload from `$ARGUMENTS` cannot run: it would see an empty text and take that for harmless. */
export function argumentsRefusal(hook: CommandHook, line: string): string | undefined {
  if (!namesArguments(hook)) return undefined;
  const bytes = Buffer.byteLength(line);
  if (bytes <= mostArgumentBytes) return undefined;
  return `the payload has ${bytes} bytes, and $ARGUMENTS holds at most ${mostArgumentBytes}; read the payload from stdin instead`;
}

function namesArguments({ command, args }: CommandHook): boolean {
  return args === undefined && /\$\{?[#!]?(?:env:)?ARGUMENTS\b/i.test(command);
}

/** A system passes no more than 128 KiB in one variable. */
const mostArgumentBytes = 100_000;

async function removeFile(path: string): Promise<void> {
  try {
    await rm(path);
  } catch (error) {
    // The hook may have taken it away itself.
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

/** Where a hook may leave `export A=1` lines for later shell calls: one file per session, event and hook. */
async function envFilePath(root: string, sessionId: string, event: string, index: number): Promise<string> {
  const folder = join(root, "session-env", folderName(sessionId));
  await openFolder(folder);
  return join(folder, `${event.toLowerCase()}-hook-${index}.sh`);
}

/** The file's path if the hook wrote to it. */
async function writtenEnvFile(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).size > 0 ? path : undefined;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** An id is never a path: one that could be becomes a hash. */
function folderName(sessionId: string): string {
  if (/^[A-Za-z0-9_-]{1,128}$/.test(sessionId)) return sessionId;
  return sha256(sessionId).slice(0, 32);
}
