import { analyseShell, type ShellPart } from "../../permissions/index.ts";

/** What is known of a command from its words alone. */
export interface ShellSigns {
  /** All it does is done silently, so that no output is no news. */
  readonly silent: boolean;
  /** The program whose exit code is that of the whole. */
  readonly last: string | undefined;
}

const silentPrograms = new Set([
  ...["mv", "cp", "rm", "mkdir", "rmdir", "chmod", "chown", "chgrp", "touch", "ln", "cd", "export", "unset", "wait"],
]);

export function shellSigns(command: string, cwd: string): ShellSigns {
  const { parts, problems } = analyseShell(command, { cwd, home: cwd });
  const heads = parts.flatMap(headOf);
  // What bash would read twice is no question here: the program is the same.
  const known = heads.length > 0 && problems.every(({ code }) => code === "second-evaluation");
  return { silent: known && heads.every((head) => silentPrograms.has(head)), last: known ? heads.at(-1) : undefined };
}

/** Exit codes that are an answer and no failure. */
export function meaningOf(program: string | undefined, code: number): string | undefined {
  if (code !== 1 || program === undefined) return undefined;
  return answers[program];
}

const answers: Readonly<Record<string, string>> = {
  grep: "No matches found",
  rg: "No matches found",
  find: "Some directories were inaccessible",
  diff: "Files differ",
  test: "Condition is false",
  "[": "Condition is false",
};

function headOf(part: ShellPart): string[] {
  // A variable that is set is a part too, named for itself; it prints nothing.
  if (part.kind === "state") return part.text === part.head && !silentPrograms.has(part.head) ? [] : [part.head];
  if (part.kind !== "command") return [];
  const [piece, ...more] = part.words[0]?.pieces ?? [];
  return [typeof piece === "string" && more.length === 0 ? piece : ""];
}
