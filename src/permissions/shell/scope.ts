import type { ParsedScript } from "unbash";
import type { ShellProblem, ShellProblemCode, Span } from "./shell-part.ts";

/** The text to which the positions of a tree refer, and their mapping to the original text. */
export interface TextSource {
  readonly source: string;
  span(pos: number, end: number): Span;
  /** The text before here-documents were masked, with the same positions. */
  readonly original?: string;
  /** Collects the start of each quoted here-document body. Absent for decoded text, such as the text in backticks. */
  readonly heredocs?: Set<number>;
}

/** What reading words finds besides their values. */
export interface WordFindings {
  readonly problems: ShellProblem[];
  /** Scripts of `$(…)`, backticks and `<(…)`. The caller walks them, because it knows the folder in which they run. */
  readonly nested: { readonly script: ParsedScript; readonly scope: TextSource }[];
  /** Variables that an expansion sets, such as `${x:=1}`. */
  readonly names: { readonly name: string; readonly at: Span }[];
}

export function noFindings(): WordFindings {
  return { problems: [], nested: [], names: [] };
}

export function report(
  findings: WordFindings,
  code: ShellProblemCode,
  scope: TextSource,
  node: { pos: number; end: number },
  text: string,
): void {
  findings.problems.push({ code, at: scope.span(node.pos, node.end), text });
}

/** A scope that maps every position to `at`, for decoded text whose positions no longer correspond to the original. */
export function fixedScope(source: string, at: Span): TextSource {
  return { source, span: () => at };
}
