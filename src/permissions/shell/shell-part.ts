import type { Glob } from "../rules/spec-patterns.ts";

/** A range in the analyzed text, as character offsets. */
export type TextRange = readonly [start: number, end: number];

/** One word of a command, without quotes. */
export interface ShellWord {
  /** The known pieces of its value. One piece means that the value is completely known. */
  readonly pieces: Glob;
  readonly raw: string;
  readonly at: TextRange;
  /** Contains an unquoted expansion or glob: may become several words, or none. */
  readonly splits: boolean;
  /** The text after an unquoted `~` at the start of the word. */
  readonly tilde?: string;
  /** A slash or a glob directly follows an expansion, as in `"$D"/*`. */
  readonly behindVariable: boolean;
  /**
   * All possible expansions of a word with variables or globs, as file name patterns in which literal characters are escaped. Absent if
   * the value is known, or if part of the word is unknown.
   */
  readonly expansions?: readonly string[];
  /** It has other expansions too: `find` puts any name in its place. */
  readonly isFound?: boolean;
  /** Variables in it that may hold a secret: their value is neither known from the text nor harmless. */
  readonly reveals?: readonly string[];
  /** Other values of the word, where shells read it differently. */
  readonly readings: readonly string[];
}

/** A word without text, as a base for words that are not in the source. */
export const emptyWord: ShellWord = {
  pieces: [""],
  raw: "",
  at: [0, 0],
  splits: false,
  behindVariable: false,
  readings: [],
};

/** The directories in which a part may run. `unknown`: there may be others. */
export interface Places {
  readonly folders: readonly string[];
  readonly unknown: boolean;
  /** With `unknown`: relative paths that were followed from an unknown folder, and guessed folders. */
  readonly followed?: readonly string[];
  /** With `unknown`: a `cd` in the text may lead to any folder. */
  readonly anyFolder?: boolean;
}

interface Part {
  readonly at: TextRange;
  /** The commands that wrap it, outermost first. */
  readonly via: readonly string[];
  readonly places: Places;
}

/** One command that a text runs. */
export interface CommandPart extends Part {
  readonly kind: "command";
  readonly words: readonly ShellWord[];
  readonly raw: string;
  /** The command that wraps this one. An exact rule for the wrapper also covers this command. */
  readonly within?: CommandPart;
  /** Variables in its here-document or here-string that may hold a secret. */
  readonly inputReveals?: readonly string[];
  /** Some of its words come from standard input, as with xargs. */
  readonly fed?: boolean;
  /** A rule that allows the wrapper also allows this command, as with npx. */
  readonly carried?: boolean;
  /** Why it is unknown what the command starts. Only an exact rule allows it. */
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
  /** The name of the variable, if setting it can change what other commands do. */
  readonly unsafe?: string;
}

/** One thing that a text for bash does. */
export type ShellPart = CommandPart | FilePart | StatePart;

/** A reason why a text cannot be analyzed completely. */
export interface ShellProblem {
  readonly code: ShellProblemCode;
  readonly at: TextRange;
  readonly text: string;
}

/** Every reason why a text cannot be analyzed, by code. */
export const shellProblemCodes = {
  nul: "the text holds a NUL character",
  "odd-character": "the text holds a control character, odd space or invisible mark",
  "too-long": "the text is longer than is analyzed",
  "too-many-parts": "the text has more separators than are analyzed",
  "too-deep": "the text is nested deeper than is analyzed",
  "too-costly": "the text would take too long to analyze",
  syntax: "the shell's grammar does not admit the text, or reads it in a way of its own",
  construct: "a construct whose effect is not analyzed",
  "second-evaluation": "the shell would read text again and run it",
  continuation: "a backslash at the end of a line",
  lexical: "a shell metacharacter where plain text was expected",
} as const;

/** The code of a reason why a text cannot be analyzed. */
export type ShellProblemCode = keyof typeof shellProblemCodes;

/** The first word of a command, if it is known. */
export function headOf({ words: [first] }: CommandPart): string | undefined {
  return staticValue(first);
}

/** The same without folders: `rm` for `/bin/rm`. */
export function programName(part: CommandPart): string | undefined {
  return headOf(part)?.split("/").at(-1);
}

/** The value of a word, if there is one and it is completely known. */
export function staticValue(word: ShellWord | undefined): string | undefined {
  return word?.pieces.length === 1 ? word.pieces[0] : undefined;
}
