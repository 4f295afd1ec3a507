import { escapeControls } from "../../protocol/internal.ts";
import type { Style } from "./terminal.ts";

export interface DiffLine {
  readonly mark: " " | "+" | "-";
  readonly text: string;
}

/** The differences between two texts, with a few unchanged lines around them. Empty when the texts are equal. */
export function diffLines(before: string, after: string, around = 3): readonly DiffLine[] {
  return compare(before, after, around).lines;
}

/** The same lines, and the number of lines before the first one that differs. */
function compare(before: string, after: string, around: number): { start: number; lines: readonly DiffLine[] } {
  const [a, b] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  if (start === a.length && start === b.length) return { start, lines: [] };
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const middle = differing(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const same = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ mark: " ", text }));
  const lines = [
    ...same(a.slice(Math.max(0, start - around), start)),
    ...middle,
    ...same(a.slice(a.length - end, a.length - end + around)),
  ];
  return { start, lines };
}

/** A last line without a line break differs from one with it. */
function linesOf(text: string): readonly string[] {
  const lines = text.split("\n");
  return lines.at(-1) === ""
    ? lines.slice(0, -1)
    : [...lines.slice(0, -1), `${lines.at(-1)} (no newline at end of file)`];
}

/** Above this many pairs of lines, the whole old text and then the whole new text is shown. */
const mostPairs = 4_000_000;

function differing(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  const removed = (text: string): DiffLine => ({ mark: "-", text });
  const added = (text: string): DiffLine => ({ mark: "+", text });
  if (a.length * b.length > mostPairs) return [...a.map(removed), ...b.map(added)];
  const common = commonLengths(a, b);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [old = "", now = ""] = [a[i], b[j]];
    if (i < a.length && j < b.length && old === now) {
      lines.push({ mark: " ", text: old });
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && at(common, i + 1, j) >= at(common, i, j + 1))) {
      lines.push(removed(old));
      i++;
    } else {
      lines.push(added(now));
      j++;
    }
  }
  return lines;
}

/** The length of the longest common subsequence from each pair of positions on. */
function commonLengths(a: readonly string[], b: readonly string[]): readonly Uint32Array[] {
  const table = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const row = table[i];
      if (row === undefined) continue;
      row[j] = a[i] === b[j] ? at(table, i + 1, j + 1) + 1 : Math.max(at(table, i + 1, j), at(table, i, j + 1));
    }
  }
  return table;
}

function at(table: readonly Uint32Array[], i: number, j: number): number {
  return table[i]?.[j] ?? 0;
}

/** A unified diff of two versions of a file; empty when they are equal. Null: the file does not exist. */
export function unifiedDiff(file: string, before: string | null, after: string | null, style: Style): string {
  const around = 3;
  const { start, lines } = compare(before ?? "", after ?? "", around);
  if (lines.length === 0) return "";
  const removed = lines.filter(({ mark }) => mark !== "+").length;
  const added = lines.filter(({ mark }) => mark !== "-").length;
  const first = Math.max(1, start - around + 1);
  const paint = { "+": style.green, "-": style.red, " ": style.dim };
  return `${[
    style.bold(`--- ${before === null ? "/dev/null" : escapeControls(file)}`),
    style.bold(`+++ ${after === null ? "/dev/null" : escapeControls(file)}`),
    style.cyan(`@@ -${span(first, removed)} +${span(first, added)} @@`),
    ...lines.map(({ mark, text }) => paint[mark](`${mark}${text.split("\t").map(escapeControls).join("\t")}`)),
  ].join("\n")}\n`;
}

function span(first: number, count: number): string {
  return count === 0 ? "0,0" : `${first},${count}`;
}
