import type { CompoundList, ParsedScript } from "unbash";
import type { Dialect, InputText } from "./programs/inner-command.ts";
import type { CommandPart, ShellPart, ShellProblem, ShellProblemCode, TextRange } from "./shell-part.ts";
import type { ShellFlow, ShellState } from "./shell-state.ts";

/** The text to which the positions of a tree refer, and their mapping to the original text. */
export interface TextSource {
  readonly source: string;
  span(pos: number, end: number): TextRange;
  /** The text before here-documents were masked, with the same positions. */
  readonly original?: string;
  /** Collects the start of each quoted here-document body. Absent for decoded text, such as the text in backticks. */
  readonly heredocs?: Set<number>;
}

/** A scope that maps every position to `at`, for decoded text whose positions no longer correspond to the original. */
export function fixedScope(source: string, at: TextRange): TextSource {
  return { source, span: () => at };
}

/** The position of a node of the tree. */
export interface NodeSpan {
  readonly pos: number;
  readonly end: number;
}

export function sourceOf({ source }: TextSource, { pos, end }: NodeSpan): string {
  return source.slice(pos, end);
}

/** What reading words finds besides their values. */
export interface WordFindings {
  /** The text in which the words are. */
  readonly scope: TextSource;
  readonly problems: ShellProblem[];
  /** Scripts of `$(…)`, backticks and `<(…)`. The caller walks them, because it knows the folder in which they run. */
  readonly nested: { readonly script: ParsedScript; readonly scope: TextSource }[];
  /** Variables that an expansion sets, such as `${x:=1}`. */
  readonly names: { readonly name: string; readonly at: TextRange }[];
}

export function findingsIn(scope: TextSource): WordFindings {
  return { scope, problems: [], nested: [], names: [] };
}

/** Adds a problem with a node of the tree. Its text is that of the node, unless `text` says more. */
export function report(
  { scope, problems }: Pick<WordFindings, "scope" | "problems">,
  code: ShellProblemCode,
  node: NodeSpan,
  text: string = sourceOf(scope, node),
): void {
  problems.push({ code, at: scope.span(node.pos, node.end), text });
}

/** The results and the context of a walk through the tree of a text. */
export interface ShellWalk {
  readonly scope: TextSource;
  readonly parts: ShellPart[];
  readonly problems: ShellProblem[];
  readonly via: readonly string[];
  readonly within?: CommandPart;
  /** The text on the standard input of a command and of those inside it, if the source contains it. */
  readonly stdin?: InputText | undefined;
  readonly dialect: Dialect;
  /** The nesting depth of scripts (`bash -c`). */
  readonly depth: number;
  /** What may still be analyzed: characters of nested scripts, words of nested commands, characters of loops. Shared by the whole walk. */
  readonly budget: { characters: number; words: number; loops: number };
  readonly home: string;
  readonly envNames: ReadonlySet<string>;
  /** Variables that expansions set, such as `${x:=1}`. Their values are unknown. Shared by the whole walk. */
  readonly volatile: Set<string>;
  /** Folders that a `cd` left or reached so far. Relative ones start in an unknown folder. Shared by the whole walk. */
  readonly visited: Set<string>;
  /** While a loop is walked in advance: the folders that were visited before it. */
  readonly visitedBefore: ReadonlySet<string>;
  /** True while a loop is walked in advance, to find the folders that its rounds reach. */
  readonly rehearses: boolean;
  /** Set by `analyse.ts`. The modules that it imports use these to walk nested scripts without an import cycle. */
  readonly walkScript: (script: ParsedScript, state: ShellState, walk: ShellWalk) => ShellFlow;
  readonly walkBody: (list: CompoundList, state: ShellState, walk: ShellWalk) => ShellFlow;
}

/** Variables that change the appearance of output, not what runs. */
const harmlessNames = /^(LANG|LANGUAGE|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|COLUMNS|LINES|CI|NODE_ENV)$/;

/** Whether a variable may be exported with a known value, for one command or for all. */
export function isHarmlessName(name: string): boolean {
  return harmlessNames.test(name);
}

/** Whether a variable is private to the shell: lower case, not in the environment, and without effect on bash and other programs. */
export function isPrivateName(name: string, envNames: ReadonlySet<string>): boolean {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !envNames.has(name) && !name.endsWith("_proxy") && !name.startsWith("npm_");
}
