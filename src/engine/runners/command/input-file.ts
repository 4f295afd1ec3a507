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
