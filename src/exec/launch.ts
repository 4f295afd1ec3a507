import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { type CommandLine, programOf } from "./command-line.ts";
import type { Ended } from "./finished.ts";
import { notStarted } from "./not-started.ts";
import type { Tag } from "./tag.ts";

export interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tag?: Tag;
  readonly inherits?: number | undefined;
}

export interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly pid: number;
}

export type Launch = Started | { readonly failure: Promise<Ended> };

/** Starts the program of a command line with three pipes, leading a session and group of its own, without a terminal. */
export function launch(command: CommandLine, { cwd, env, tag, inherits }: Place): Launch {
  const { platform } = process;
  const program = programOf(command, { platform, env });
  try {
    const child = spawn(program.file, program.args, {
      cwd,
      env: tag === undefined || env[tag.name] === tag.value ? env : { ...env, [tag.name]: tag.value },
      // On Windows this would open a console window instead; there a tree is ended by its parents and children.
      detached: platform !== "win32",
      windowsHide: true,
      stdio: inherits === undefined ? "pipe" : ["pipe", "pipe", "pipe", inherits],
    }) as ChildProcessWithoutNullStreams;
    if (child.pid !== undefined) return { child, pid: child.pid };
    return {
      failure: new Promise((resolve) => {
        child.once("error", (error) => resolve(notStarted(error, program, cwd)));
      }),
    };
  } catch (error) {
    // Some refusals are thrown rather than emitted: a NUL in an argument, an environment too large.
    return { failure: Promise.resolve(notStarted(error, program, cwd)) };
  }
}
