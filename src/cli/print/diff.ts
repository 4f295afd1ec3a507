import { changesOf, escapeControls, type Hunk, hunkOf } from "../../protocol/internal.ts";
import type { Style } from "./terminal.ts";

interface DiffLine {
  readonly mark: " " | "+" | "-";
  readonly text: string;
}

/** The differences between two texts, with a few unchanged lines around them. Empty when the texts are equal. */
export function diffLines(before: string, after: string, around?: number): readonly DiffLine[] {
  const lines = compare(before, after, around)?.lines ?? [];
  return lines.map((line) => ({ mark: line[0] as DiffLine["mark"], text: line.slice(1) }));
}

function compare(before: string, after: string, around?: number): Hunk | undefined {
  const [a, b] = [linesOf(before), linesOf(after)];
  const changes = changesOf(a, b);
  return changes.length === 0 ? undefined : hunkOf(a, b, changes, around);
}

/** A last line without a line break differs from one with it. */
function linesOf(text: string): readonly string[] {
  const lines = text.split("\n");
  return lines.at(-1) === ""
    ? lines.slice(0, -1)
    : [...lines.slice(0, -1), `${lines.at(-1)} (no newline at end of file)`];
}

/** A unified diff of two versions of a file; empty when they are equal. Null: the file does not exist. */
export function unifiedDiff(file: string, before: string | null, after: string | null, style: Style): string {
  const hunk = compare(before ?? "", after ?? "");
  if (hunk === undefined) return "";
  const paint: Readonly<Record<string, (text: string) => string>> = { "+": style.green, "-": style.red };
  return `${[
    style.bold(`--- ${before === null ? "/dev/null" : escapeControls(file)}`),
    style.bold(`+++ ${after === null ? "/dev/null" : escapeControls(file)}`),
    style.cyan(`@@ -${span(hunk.oldStart, hunk.oldLines)} +${span(hunk.newStart, hunk.newLines)} @@`),
    ...hunk.lines.map((line) =>
      (paint[line.slice(0, 1)] ?? style.dim)(line.split("\t").map(escapeControls).join("\t")),
    ),
  ].join("\n")}\n`;
}

function span(first: number, count: number): string {
  return count === 0 ? "0,0" : `${first},${count}`;
}
