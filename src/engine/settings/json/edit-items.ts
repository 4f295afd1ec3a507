import { type Layout, layoutOf, printed, printedInline } from "./json-layout.ts";
import { endOfLine, type JsonItem } from "./jsonc.ts";
import type { JsonContainer } from "./locate.ts";
import { insideOf, lineIndent, type Splice } from "./splice.ts";

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

/** A longer item gets lines of its own, whatever stands around it: nobody can read a diff of 1,400 characters. */
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
