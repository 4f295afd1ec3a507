import type { CompoundList, ParsedScript } from "unbash";
import type { Dialect } from "./programs/inner-command.ts";
import type { TextSource } from "./scope.ts";
import type { CommandPart, ShellPart, ShellProblem } from "./shell-part.ts";
import type { ShellFlow, ShellState } from "./shell-state.ts";

/** What a walk through a text gathers, and what it needs to know. */
export interface ShellWalk {
  readonly scope: TextSource;
  readonly parts: ShellPart[];
  readonly problems: ShellProblem[];
  readonly via: readonly string[];
  readonly within?: CommandPart;
  readonly dialect: Dialect;
  /** Scripts inside scripts (`bash -c`), counted. */
  readonly depth: number;
  /** How many characters of such scripts, words of commands inside commands, and characters of loops may still be analysed, shared by the whole walk. */
  readonly budget: { characters: number; words: number; loops: number };
  readonly home: string;
  readonly envNames: ReadonlySet<string>;
  /** Names that expansions set on their way, as `${x:=1}` does: nothing is known of them. Shared by the whole walk. */
  readonly volatile: Set<string>;
  /** Folders that a `cd` left or reached so far; relative ones from a folder that is not known. Shared by the whole walk. */
  readonly visited: Set<string>;
  /** While a loop is rehearsed: the folders that were visited before it. */
  readonly visitedBefore: ReadonlySet<string>;
  /** True while a loop is walked only to see which folders its rounds reach. */
  readonly rehearses: boolean;
  /** Set once, by `analyse.ts`: the stages below call the walk again for what a script contains. */
  readonly walkScript: (script: ParsedScript, state: ShellState, walk: ShellWalk) => ShellFlow;
  readonly walkBody: (list: CompoundList, state: ShellState, walk: ShellWalk) => ShellFlow;
}

/** Names whose value changes how things look, not what runs. */
const harmless = /^(LANG|LANGUAGE|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|COLUMNS|LINES|CI|NODE_ENV)$/;

/** Whether a command's own environment, or the exported one, may have this name set to a known value. */
export function isHarmlessName(name: string): boolean {
  return harmless.test(name);
}

/** Whether the shell may keep this name to itself: lower case, and nothing that a started program would see or bash acts on. */
export function isPrivateName(name: string, envNames: ReadonlySet<string>): boolean {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !envNames.has(name) && !name.endsWith("_proxy") && !name.startsWith("npm_");
}
