import { rm } from "node:fs/promises";
import { errorCode, writePrivate } from "../../../files/index.ts";
import type { CommandHook } from "../../../protocol/index.ts";

/** The payload as a private file, for hooks that ask for one. */
export interface InputFile {
  readonly variables: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/** Most hooks read stdin and need no file. */
export function wantsInputFile({ command, args = [], inputFile }: CommandHook): boolean {
  return inputFile === true || command.includes(variable) || args.some((text) => text.includes(variable));
}

const variable = "HOOK_INPUT_FILE";

export async function inputFile(line: string, folder: string): Promise<InputFile> {
  const path = await writePrivate(folder, line, { prefix: "input-", suffix: ".json" });
  return { variables: { [variable]: path }, remove: () => removeFile(path) };
}

/** `$ARGUMENTS` of a shell command, from the environment: payload text is never pasted into a command line. */
export function argumentsVariable(hook: CommandHook, line: string): Readonly<Record<string, string>> {
  const mentions = hook.args === undefined && /\$\{?ARGUMENTS\b/.test(hook.command);
  return mentions && Buffer.byteLength(line) <= mostArgumentBytes ? { ARGUMENTS: line } : {};
}

const mostArgumentBytes = 100_000;

async function removeFile(path: string): Promise<void> {
  try {
    await rm(path);
  } catch (error) {
    // The hook may have taken it away itself.
    if (errorCode(error) !== "ENOENT") throw error;
  }
}
