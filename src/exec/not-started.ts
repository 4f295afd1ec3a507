import { accessSync, constants, existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Program } from "./command-line.ts";
import type { Ended } from "./finished.ts";

type NotStarted = Extract<Ended, { by: "not-started" }>;

/** Why a process could not be started, in words that name what is missing. */
export function notStarted(error: unknown, { file }: Program, cwd: string): NotStarted {
  const code = codeOf(error);
  return { by: "not-started", why: why(code, file, cwd) ?? plain(error), ...(code !== undefined && { code }) };
}

function why(code: string | undefined, file: string, cwd: string): string | undefined {
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      // The system says the same of a missing program, a missing interpreter and a missing folder.
      if (!canEnter(cwd)) return `The working folder ${cwd} does not exist`;
      if (file.includes("/") && existsSync(resolve(cwd, file)))
        return `The interpreter that ${file} names was not found`;
      return `${file} was not found`;
    case "EACCES":
    case "EPERM":
      if (!canEnter(cwd)) return `The working folder ${cwd} may not be entered`;
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
      return `The system has no room for another process (${code})`;
    default:
      return undefined;
  }
}

function canEnter(folder: string): boolean {
  try {
    accessSync(`${folder}/.`, constants.X_OK);
    return true;
  } catch {
    // Whatever is wrong with the folder, the system has already said it in its code.
    return false;
  }
}

function plain(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
