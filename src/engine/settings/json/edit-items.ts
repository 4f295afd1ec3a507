import type { JsonContainer } from "./edit-text.ts";
import { insideOf, type Layout, layoutOf, lineIndent, printed, printedInline, type Splice } from "./json-layout.ts";
import { endOfLine, type JsonItem } from "./jsonc.ts";

/** What is to be added; a key for objects, none for lists. */
export interface NewItem {
  readonly key?: string;
  readonly value: unknown;
}

/** Adds an item at the end of a container, laid out like the ones that are there. Comments stay with what they follow. */
export function insertItem(text: string, container: JsonContainer, item: NewItem): readonly Splice[] {
  const layout = layoutOf(text);
  const last = container.items.at(-1);
  return last === undefined ? intoEmpty(text, container, item, layout) : behind(text, container, last, item, layout);
}

/** A longer item gets lines of its own, whatever the layout around it: a diff of 1,400 characters is unreadable. */
const longestInline = 120;

function intoEmpty(text: string, container: JsonContainer, item: NewItem, layout: Layout): readonly Splice[] {
  const inside = insideOf(text, container);
  const inline = onOneLine(item, layout);
  if (layout.oneLine && inside.trim() === "" && inline.length <= longestInline) {
    return [{ start: container.start + 1, end: container.end - 1, text: inline }];
  }
  const outer = lineIndent(text, container.start);
  const indent = outer + layout.step;
  const start = container.start + 1 + inside.trimEnd().length;
  const added = `${layout.lineBreak}${indent}${onLines(item, layout, indent)}${layout.lineBreak}${outer}`;
  return [{ start, end: container.end - 1, text: added }];
}

function behind(
  text: string,
  container: JsonContainer,
  last: JsonItem,
  item: NewItem,
  layout: Layout,
): readonly Splice[] {
  const first = container.items[0] ?? last;
  const isLong = onOneLine(item, layout).length > longestInline;
  const onLinesNow = text.slice(container.start + 1, first.start).includes("\n");
  const ownLine = onLinesNow || isLong;
  // Behind items on one line, a long one begins a line of its own.
  const indent = lineIndent(text, first.start) + (isLong && !onLinesNow ? layout.step : "");
  const after = behindComments(text, last.comma === undefined ? last.value.end : last.comma + 1);
  const gap = ownLine || after.onLineComment ? layout.lineBreak + indent : layout.spaced ? " " : "";
  const added = gap + (ownLine ? onLines(item, layout, indent) : onOneLine(item, layout));
  // A list that ends with a comma goes on ending with one.
  if (last.comma !== undefined) return [{ start: after.at, end: after.at, text: `${added},` }];
  if (after.at === last.value.end) return [{ start: after.at, end: after.at, text: `,${added}` }];
  return [
    { start: last.value.end, end: last.value.end, text: "," },
    { start: after.at, end: after.at, text: added },
  ];
}

/** The end of the comments that follow on the same line. */
function behindComments(text: string, from: number): { at: number; onLineComment: boolean } {
  for (let end = from; ; ) {
    let at = end;
    while (text[at] === " " || text[at] === "\t") at += 1;
    if (text.startsWith("//", at)) return { at: endOfLine(text, at), onLineComment: true };
    if (!text.startsWith("/*", at)) return { at: end, onLineComment: false };
    const close = text.indexOf("*/", at + 2) + 2;
    if (text.slice(at, close).includes("\n")) return { at: end, onLineComment: false };
    end = close;
  }
}

function onLines({ key, value }: NewItem, layout: Layout, indent: string): string {
  return (key === undefined ? "" : `${JSON.stringify(key)}: `) + printed(value, layout, indent);
}

function onOneLine({ key, value }: NewItem, layout: Layout): string {
  const before = key === undefined ? "" : `${JSON.stringify(key)}:${layout.spaced ? " " : ""}`;
  return before + printedInline(value, layout);
}

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
