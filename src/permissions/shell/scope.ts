import type { ParsedScript } from "unbash";
import type { ShellProblem, ShellProblemCode, Span } from "./shell-part.ts";

/** The text that positions of a tree index, and how they map to the text that was given. */
export interface TextSource {
  readonly source: string;
  span(pos: number, end: number): Span;
  /** The text before here-documents were blotted out; the same positions. */
  readonly original?: string;
  /** Gathers where bodies of quoted here-documents begin. Absent where the text was decoded first, as in backticks. */
  readonly heredocs?: Set<number>;
}

/** What reading words brings to light beside their values. */
export interface WordFindings {
  readonly problems: ShellProblem[];
  /** Scripts of `$(…)`, backticks and `<(…)`, to be walked by the caller, which knows where they run. */
  readonly nested: { readonly script: ParsedScript; readonly scope: TextSource }[];
  /** Names that expansion sets, as `${x:=1}` does. */
  readonly names: { readonly name: string; readonly at: Span }[];
}

export function noFindings(): WordFindings {
  return { problems: [], nested: [], names: [] };
}

export function report(
  found: WordFindings,
  code: ShellProblemCode,
  scope: TextSource,
  node: { pos: number; end: number },
  text: string,
): void {
  found.problems.push({ code, at: scope.span(node.pos, node.end), text });
}

/** A scope whose every position is the same place: for text that was decoded and no longer lines up. */
export function fixedScope(source: string, at: Span): TextSource {
  return { source, span: () => at };
}
