import { existsSync } from "node:fs";
import { gitBash, windowsPowerShell, windowsShell } from "./windows-shell.ts";

/** What to start: a line for the system's shell, a line for PowerShell, or a program and its arguments with no shell between. */
export type CommandLine =
  | { readonly form: "shell"; readonly command: string }
  | { readonly form: "powershell"; readonly command: string }
  | { readonly form: "exec"; readonly file: string; readonly args: readonly string[] };

export interface Program {
  readonly file: string;
  readonly args: readonly string[];
}

interface Surroundings {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly exists?: (path: string) => boolean;
}

/** The program behind a command line. `$SHELL` has no say: a line means the same for everyone. */
export function programOf(command: CommandLine, { platform, env, exists = existsSync }: Surroundings): Program {
  if (platform === "win32") return windowsProgram(command, env, exists);
  if (command.form === "shell") return { file: "/bin/sh", args: ["-c", command.command] };
  if (command.form === "exec") return command;
  return { file: "pwsh", args: [...powershellFlags, command.command] };
}

function windowsProgram(
  command: CommandLine,
  env: Surroundings["env"],
  exists: NonNullable<Surroundings["exists"]>,
): Program {
  if (command.form === "exec") {
    const bash = /\.sh$/i.test(command.file) ? gitBash(env, exists) : undefined;
    return bash === undefined ? command : { file: bash, args: [command.file, ...command.args] };
  }
  const shell =
    command.form === "shell" ? windowsShell(env, exists) : { kind: "powershell", file: windowsPowerShell(env, exists) };
  const flags = shell.kind === "bash" ? ["-c"] : powershellFlags;
  return { file: shell.file, args: [...flags, command.command] };
}

const powershellFlags = ["-NoProfile", "-NonInteractive", "-Command"];
