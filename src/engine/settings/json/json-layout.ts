import type { JsonContainer } from "./edit-text.ts";
import { endOfLine, endOfString, skipTrivia } from "./jsonc.ts";

/** How a file is laid out, so that what we add looks like what is there. */
export interface Layout {
  readonly lineBreak: "\n" | "\r\n";
  /** One step of indentation. */
  readonly step: string;
  /** Whether blanks follow commas and colons. */
  readonly spaced: boolean;
  /** Nothing but one line. */
  readonly oneLine: boolean;
}

export function layoutOf(text: string): Layout {
  const isBare = /^\ufeff?\s*(?:\{\s*\}|\[\s*\])\s*$/.test(text);
  return {
    lineBreak: /\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n",
    step: /\n([ \t]{1,10})["[{/\w-]/.exec(text)?.[1] ?? "  ",
    spaced: isBare || /[,:]\s/.test(text),
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

/** The characters from `start` to `end` give way to `text`. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Contract: the splices do not overlap; all else stays as it is. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const pieces: string[] = [];
  let at = 0;
  // Of insertions at one place the last one given comes first.
  for (const { start, end, text: piece } of splices.toReversed().sort((a, b) => a.start - b.start)) {
    pieces.push(text.slice(at, start), piece);
    at = end;
  }
  return pieces.join("") + text.slice(at);
}

/** The text between the brackets of a container. */
export function insideOf(text: string, container: JsonContainer): string {
  return text.slice(container.start + 1, container.end - 1);
}

/** The blanks that the line of a place begins with. */
export function lineIndent(text: string, at: number): string {
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart, at))?.[0] ?? "";
}

/** A piece of text that is legal in JSONC and not in JSON. */
interface JsoncPart {
  readonly kind: "comment" | "trailing comma";
  readonly start: number;
  readonly end: number;
}

/** Every comment and trailing comma, in order. The text must be readable JSONC. */
export function jsoncParts(text: string): readonly JsoncPart[] {
  const parts: JsoncPart[] = [];
  for (let at = 0; at < text.length; ) {
    const end = endOfToken(text, at);
    if (text[at] === "/") parts.push({ kind: "comment", start: at, end });
    if (text[at] === "," && isClosing(text[skipTrivia(text, end)])) {
      parts.push({ kind: "trailing comma", start: at, end });
    }
    at = end;
  }
  return parts;
}

/** The same settings as plain JSON: without comments and trailing commas. Lines that held only a comment are removed. */
export function withoutComments(text: string): string {
  return applySplices(
    text,
    jsoncParts(text).map((part) => (part.kind === "comment" ? commentSplice(text, part) : { ...part, text: "" })),
  );
}

function endOfToken(text: string, at: number): number {
  if (text[at] === '"') return endOfString(text, at) ?? text.length;
  if (text.startsWith("//", at)) return endOfLine(text, at);
  if (!text.startsWith("/*", at)) return at + 1;
  const close = text.indexOf("*/", at + 2);
  return close === -1 ? text.length : close + 2;
}

function isClosing(unit: string | undefined): boolean {
  return unit === "}" || unit === "]";
}

/** A comment alone on its lines takes the lines with it; another one takes the blanks before it. */
function commentSplice(text: string, { start, end }: JsoncPart): Splice {
  let from = start;
  while (text[from - 1] === " " || text[from - 1] === "\t") from -= 1;
  const beginsLine = from === 0 || text[from - 1] === "\n";
  const ending = /^[ \t]*(\r?\n)/.exec(text.slice(end, end + 200))?.[0] ?? "";
  return { start: from, end: beginsLine ? end + ending.length : end, text: "" };
}
