import { existsSync } from "node:fs";
import { win32 } from "node:path";

/** What to start: a line for the system's shell, a line for PowerShell, or a program and its arguments without a shell. */
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

/** The program behind a command line. `$SHELL` is ignored: a line means the same for every user. */
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

/** The program that reads command lines on Windows: Git Bash where it is installed, else PowerShell. */
export interface WindowsShell {
  readonly kind: "bash" | "powershell";
  readonly file: string;
}

type Env = Readonly<Record<string, string | undefined>>;
type Exists = (path: string) => boolean;

export function windowsShell(env: Env, exists: Exists): WindowsShell {
  const bash = gitBash(env, exists);
  return bash === undefined
    ? { kind: "powershell", file: windowsPowerShell(env, exists) }
    : { kind: "bash", file: bash };
}

/** Git Bash in its usual folders and next to `git`. Never the `bash.exe` of System32: it runs in WSL. */
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
