import { visible } from "../../protocol/index.ts";
import { diffLines } from "./diff.ts";
import type { Style } from "./style.ts";

/** Two texts of one file in the form of a unified diff; empty when they are equal. Null: there is no file. */
export function unifiedDiff(file: string, before: string | null, after: string | null, style: Style): string {
  const around = 3;
  const [old, now] = [before ?? "", after ?? ""];
  const lines = diffLines(old, now, around);
  if (lines.length === 0) return "";
  const removed = lines.filter(({ mark }) => mark !== "+").length;
  const added = lines.filter(({ mark }) => mark !== "-").length;
  const first = Math.max(1, firstDifference(old, now) - around + 1);
  const paint = { "+": style.green, "-": style.red, " ": style.dim };
  return `${[
    style.bold(`--- ${before === null ? "/dev/null" : visible(file)}`),
    style.bold(`+++ ${after === null ? "/dev/null" : visible(file)}`),
    style.cyan(`@@ -${span(first, removed)} +${span(first, added)} @@`),
    ...lines.map(({ mark, text }) => paint[mark](`${mark}${text.split("\t").map(visible).join("\t")}`)),
  ].join("\n")}\n`;
}

function span(first: number, count: number): string {
  return count === 0 ? "0,0" : `${first},${count}`;
}

/** How many lines are equal at the beginning. */
function firstDifference(before: string, after: string): number {
  const [a, b] = [before.split("\n"), after.split("\n")];
  const index = a.findIndex((line, at) => line !== b[at]);
  return index < 0 ? a.length : index;
}
