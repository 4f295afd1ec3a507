import type { Glob } from "../rules/spec-glob.ts";

/** Where in the text that was given, as character offsets. */
export type Span = readonly [start: number, end: number];

/** One word of a command after quote removal. */
export interface ShellWord {
  /** What is known of its value; one piece when all of it is. */
  readonly pieces: Glob;
  readonly raw: string;
  readonly at: Span;
  /** An unquoted expansion or glob: it may become several words, or none. */
  readonly splits: boolean;
  /** `~` or `~/x` at its front, unquoted: what follows the tilde. */
  readonly tilde?: string;
  /** A slash or a glob stands right behind an expansion, as in `"$D"/*`. */
  readonly behindVariable: boolean;
  /**
   * All that bash may make of a word with variables or globs in it, as patterns for names of files: signs that mean
   * themselves are escaped. Absent where the word is known anyway, and where something in it is not known beforehand.
   */
  readonly expansions?: readonly string[];
  /** Variables in it whose value is known neither from the text nor to be harmless. */
  readonly reveals?: readonly string[];
  /** Further values the word may have where programs read it differently. */
  readonly readings: readonly string[];
}

/** The folders a part may run in; `unknown` when there may be others. */
export interface Places {
  readonly folders: readonly string[];
  readonly unknown: boolean;
  /** With `unknown`: relative paths that were followed from a folder that is not known, and folders that are only a guess. */
  readonly followed?: readonly string[];
  /** With `unknown`: a `cd` in the text may lead to any folder at all. */
  readonly anyFolder?: boolean;
}

interface Part {
  readonly at: Span;
  /** The wrappers around it, outermost first. */
  readonly via: readonly string[];
  readonly places: Places;
}

/** One command that a text runs, with its words. */
export interface CommandPart extends Part {
  readonly kind: "command";
  readonly words: readonly ShellWord[];
  readonly raw: string;
  /** The wrapper around this command, whose exact rule covers it too. */
  readonly within?: CommandPart;
  /** Variables in its own here-document or here-string, as `reveals` of words. */
  readonly inputReveals?: readonly string[];
  /** Some of its words come from standard input, as with `xargs`. */
  readonly fed?: boolean;
  /** A rule that allows the program around it allows it too, as with `npx`. */
  readonly carried?: boolean;
  /** Why what it starts cannot be seen: nothing but an exact rule allows it. */
  readonly opaque?: string;
  /** More words follow at run time, for example from xargs. */
  readonly openEnded: boolean;
}

/** A file that a redirection reads or writes. */
export interface FilePart extends Part {
  readonly kind: "write" | "read";
  readonly operator: string;
  readonly target: ShellWord;
}

/** A change of the shell's own state: a variable set, or one of the plain builtin forms. */
export interface StatePart extends Part {
  readonly kind: "state";
  readonly text: string;
  readonly head: string;
  /** The name that is set, and why it must not be. */
  readonly unsafe?: string;
}

/** One thing that a text for bash does. */
export type ShellPart = CommandPart | FilePart | StatePart;

/** Why a text cannot be analysed. */
export interface ShellProblem {
  readonly code: ShellProblemCode;
  readonly at: Span;
  readonly text: string;
}

/** Why a shell command could not be read, by code. */
export const shellProblemCodes = {
  nul: "the text holds a NUL character",
  "odd-character": "the text holds a control character, odd space or invisible mark",
  "too-long": "the text is longer than is analysed",
  "too-many-parts": "the text has more separators than are analysed",
  "too-deep": "the text is nested deeper than is analysed",
  "too-costly": "the text would take too long to analyse",
  syntax: "the shell's grammar does not admit the text, or reads it in a way of its own",
  construct: "a construct whose effect is not analysed",
  "second-evaluation": "the shell would read text again and run it",
  continuation: "a backslash at the end of a line",
  lexical: "a shell metacharacter where plain text was expected",
} as const;

/** Why a text cannot be analysed, as a code. */
export type ShellProblemCode = keyof typeof shellProblemCodes;

/** The first word of a command, where it is known. */
export function headOf({ words: [first] }: CommandPart): string | undefined {
  return first && staticValue(first);
}

/** The same without folders: `rm` of `/bin/rm`. */
export function programName(part: CommandPart): string | undefined {
  return headOf(part)?.split("/").at(-1);
}

export function staticValue(word: ShellWord): string | undefined {
  return word.pieces.length === 1 ? word.pieces[0] : undefined;
}
