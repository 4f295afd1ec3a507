import { endOfLine, type JsonItem } from "./jsonc.ts";
import type { JsonContainer } from "./locate.ts";
import type { Splice } from "./splice.ts";

/**
 * Takes an item out, with the line it stood on. Comments stay.
 *
 * Contract: takes back exactly what `insertItem` did; a container that was empty before needs `emptied`, what stood between its
 * brackets then.
 */
export function removeItem(
  text: string,
  container: JsonContainer,
  item: JsonItem,
  emptied?: string,
): readonly Splice[] {
  const before = container.items[container.items.indexOf(item) - 1];
  const from = before === undefined ? container.start + 1 : (before.comma ?? before.value.end - 1) + 1;
  const { end, comma } = endOf(text, item);
  const blanks = blanksBefore(text, from, item.start);
  // Behind a line comment the line break must stay, or what follows would become part of the comment.
  const start = blanks.onLineComment && !endsLine(text, end) ? item.start : blanks.at;
  if (container.items.length === 1) return [...emptying(text, container, { start, end, text: "" }, emptied), ...comma];
  if (before === undefined && !text.slice(start, item.start).includes("\n")) {
    return [{ start: item.start, end: blanksAfter(text, end), text: "" }, ...comma];
  }
  // The last item of a list without a trailing comma: the one before it becomes the last and loses its comma.
  const spare = item.comma === undefined && before?.comma !== undefined ? [oneSign(before.comma)] : [];
  return [...spare, { start, end, text: "" }, ...comma];
}

/** The end of an item with its comma; a comma behind a comment is a place of its own. */
function endOf(text: string, { value, comma }: JsonItem): { end: number; comma: readonly Splice[] } {
  if (comma === undefined) return { end: value.end, comma: [] };
  if (text.slice(value.end, comma).trim() === "") return { end: comma + 1, comma: [] };
  return { end: value.end, comma: [oneSign(comma)] };
}

function oneSign(at: number): Splice {
  return { start: at, end: at + 1, text: "" };
}

function emptying(
  text: string,
  container: JsonContainer,
  taken: Splice,
  emptied: string | undefined,
): readonly Splice[] {
  const left = text.slice(container.start + 1, taken.start) + text.slice(taken.end, container.end - 1);
  const inside = { start: container.start + 1, end: container.end - 1 };
  if (emptied !== undefined && emptied.trim() === left.trim()) return [{ ...inside, text: emptied }];
  return left.trim() === "" ? [{ ...inside, text: "" }] : [taken];
}

/** Where the blanks in front of an item begin: behind the last comment, or behind what stands before it. */
function blanksBefore(text: string, from: number, to: number): { at: number; onLineComment: boolean } {
  let found = { at: from, onLineComment: false };
  for (let at = from; at < to; ) {
    if (text.startsWith("//", at)) {
      at = endOfLine(text, at);
      found = { at, onLineComment: true };
    } else if (text.startsWith("/*", at)) {
      at = text.indexOf("*/", at + 2) + 2;
      found = { at, onLineComment: false };
    } else at += 1;
  }
  return found;
}

function blanksAfter(text: string, from: number): number {
  let at = from;
  while (text[at] === " " || text[at] === "\t") at += 1;
  return at;
}

function endsLine(text: string, from: number): boolean {
  const at = blanksAfter(text, from);
  return at === text.length || text[at] === "\n" || text[at] === "\r";
}
