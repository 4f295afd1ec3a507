import type { JsonContainer } from "./locate.ts";

/** The characters from `start` to `end` give way to `text`. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Contract: the splices do not overlap; all else stays as it is. */
export function spliced(text: string, splices: readonly Splice[]): string {
  const pieces: string[] = [];
  let at = 0;
  // Of insertions at one place the last one given comes first.
  for (const { start, end, text: piece } of splices.toReversed().sort((a, b) => a.start - b.start)) {
    pieces.push(text.slice(at, start), piece);
    at = end;
  }
  return pieces.join("") + text.slice(at);
}

/** What stands between the brackets of a container. */
export function insideOf(text: string, container: JsonContainer): string {
  return text.slice(container.start + 1, container.end - 1);
}

/** The blanks that the line of a place begins with. */
export function lineIndent(text: string, at: number): string {
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart, at))?.[0] ?? "";
}
