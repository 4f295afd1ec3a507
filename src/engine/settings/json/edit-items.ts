import { endOfComment, type JsonContainer, type JsoncPart, type JsonItem, jsoncParts } from "./jsonc.ts";

type Layout = ReturnType<typeof layoutOf>;

/** The layout of a file. What is added gets the same. */
export function layoutOf(text: string) {
  const isBare = /^\ufeff?\s*(?:\{\s*\}|\[\s*\])\s*$/.test(text);
  return {
    lineBreak: /\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n",
    /** One step of indentation. */
    step: /\n([ \t]{1,10})["[{/\w-]/.exec(text)?.[1] ?? "  ",
    /** Whether blanks follow commas and colons. */
    spaced: isBare || /[,:]\s/.test(text),
    /** The whole text is on one line. */
    oneLine: !isBare && !text.trim().includes("\n"),
  };
}

/** A value over several lines; those after the first begin with `indent`. */
export function printed(value: unknown, { lineBreak, step }: Layout, indent: string): string {
  return JSON.stringify(value, null, step).replaceAll("\n", `${lineBreak}${indent}`);
}

/** A value on one line. */
export function printedInline(value: unknown, layout: Layout): string {
  if (!layout.spaced || typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = (item: unknown) => printedInline(item, layout);
  if (Array.isArray(value)) return `[${value.map(inner).join(", ")}]`;
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${inner(item)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** The characters from `start` to `end` are replaced with `text`. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Contract: the splices do not overlap; everything else stays as it is. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const pieces: string[] = [];
  let at = 0;
  // Of insertions at one position the last one given comes first.
  for (const { start, end, text: piece } of splices.toReversed().sort((a, b) => a.start - b.start)) {
    pieces.push(text.slice(at, start), piece);
    at = end;
  }
  return pieces.join("") + text.slice(at);
}

/** The blanks at the start of the line that contains a position. */
export function lineIndent(text: string, at: number): string {
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart, at))?.[0] ?? "";
}

interface NewItem {
  /** Undefined in a list. */
  readonly key: string | undefined;
  readonly value: unknown;
}

/** Longer items get their own lines in every layout: a diff of 1,400 characters is unreadable. */
const maxInlineLength = 120;

/** Adds an item at the end of a container, in the layout of the items before it. A comment stays with the item that it follows. */
export function insertItem(text: string, container: JsonContainer, item: NewItem): readonly Splice[] {
  const layout = layoutOf(text);
  const inline = onOneLine(item, layout);
  const isLong = inline.length > maxInlineLength;
  const [first] = container.items;
  const last = container.items.at(-1);
  if (first === undefined || last === undefined) {
    const inside = text.slice(container.start + 1, container.end - 1);
    if (layout.oneLine && inside.trim() === "" && !isLong)
      return [{ start: container.start + 1, end: container.end - 1, text: inline }];
    const outer = lineIndent(text, container.start);
    const indent = outer + layout.step;
    const start = container.start + 1 + inside.trimEnd().length;
    const added = `${layout.lineBreak}${indent}${onLines(item, layout, indent)}${layout.lineBreak}${outer}`;
    return [{ start, end: container.end - 1, text: added }];
  }
  const hasLines = text.slice(container.start + 1, first.start).includes("\n");
  const ownLine = hasLines || isLong;
  // After items on one line, a long one begins its own line.
  const indent = lineIndent(text, first.start) + (ownLine && !hasLines ? layout.step : "");
  const after = afterComments(text, last.comma === undefined ? last.value.end : last.comma + 1);
  const blank = layout.spaced ? " " : "";
  const gap = ownLine || after.onLineComment ? layout.lineBreak + indent : blank;
  const added = gap + (ownLine ? onLines(item, layout, indent) : inline);
  // A list that ends with a comma still does afterwards.
  if (last.comma !== undefined) return [{ start: after.at, end: after.at, text: `${added},` }];
  if (after.at === last.value.end) return [{ start: after.at, end: after.at, text: `,${added}` }];
  return [
    { start: last.value.end, end: last.value.end, text: "," },
    { start: after.at, end: after.at, text: added },
  ];
}

interface CommentEnd {
  readonly at: number;
  readonly onLineComment: boolean;
}

/** The end of the comments that follow on the same line. */
function afterComments(text: string, from: number): CommentEnd {
  for (let end = from; ; ) {
    const at = afterBlanks(text, end);
    const close = endOfComment(text, at);
    if (close === undefined || text.slice(at, close).includes("\n")) return { at: end, onLineComment: false };
    if (text.startsWith("//", at)) return { at: close, onLineComment: true };
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

/** Removes an item with its line. Comments stay. Contract: takes back exactly what `insertItem` added to other items. */
export function removeItem(text: string, container: JsonContainer, item: JsonItem): readonly Splice[] {
  const { value, comma } = item;
  const before = container.items[container.items.indexOf(item) - 1];
  const from = before === undefined ? container.start + 1 : (before.comma ?? before.value.end - 1) + 1;
  // A comma after a comment is removed separately.
  const isCommaApart = comma !== undefined && text.slice(value.end, comma).trim() !== "";
  const end = comma === undefined || isCommaApart ? value.end : comma + 1;
  const commas = isCommaApart ? [oneSign(comma)] : [];
  const blanks = blanksBefore(text, from, item.start);
  // After a line comment the line break must stay, or what follows would become part of the comment.
  const start = blanks.onLineComment && !endsLine(text, end) ? item.start : blanks.at;
  if (container.items.length === 1) {
    const left = text.slice(container.start + 1, start) + text.slice(end, container.end - 1);
    if (left.trim() === "") return [{ start: container.start + 1, end: container.end - 1, text: "" }];
    return [{ start, end, text: "" }, ...commas];
  }
  if (before === undefined && !text.slice(start, item.start).includes("\n"))
    return [{ start: item.start, end: afterBlanks(text, end), text: "" }, ...commas];
  // The last item of a list without a trailing comma: the one before it becomes the last and loses its comma.
  const spare = comma === undefined && before?.comma !== undefined ? [oneSign(before.comma)] : [];
  return [...spare, { start, end, text: "" }, ...commas];
}

function oneSign(at: number): Splice {
  return { start: at, end: at + 1, text: "" };
}

/** The start of the blanks before an item: after the last comment, or after `from`. */
function blanksBefore(text: string, from: number, to: number): CommentEnd {
  let found = { at: from, onLineComment: false };
  for (let at = from; at < to; ) {
    const end = endOfComment(text, at);
    if (end !== undefined) found = { at: end, onLineComment: text.startsWith("//", at) };
    at = end ?? at + 1;
  }
  return found;
}

function afterBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === " " || text[at] === "\t") at += 1;
  return at;
}

function endsLine(text: string, from: number): boolean {
  const at = afterBlanks(text, from);
  return at === text.length || text[at] === "\n" || text[at] === "\r";
}

/** The same settings as plain JSON: without comments and trailing commas. Lines that contain only a comment are removed. */
export function withoutComments(text: string): string {
  return applySplices(
    text,
    jsoncParts(text).map((part) => (part.kind === "comment" ? commentSplice(text, part) : { ...part, text: "" })),
  );
}

/** A comment alone on its lines is removed with the lines; another one with the blanks before it. */
function commentSplice(text: string, { start, end }: JsoncPart): Splice {
  let from = start;
  while (text[from - 1] === " " || text[from - 1] === "\t") from -= 1;
  const beginsLine = from === 0 || text[from - 1] === "\n";
  const ending = /^[ \t]*(\r?\n)/.exec(text.slice(end, end + 200))?.[0] ?? "";
  return { start: from, end: beginsLine ? end + ending.length : end, text: "" };
}
