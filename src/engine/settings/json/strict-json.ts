import { endOfLine, endOfString, skipTrivia } from "./jsonc.ts";
import { type Splice, spliced } from "./splice.ts";

/** A piece of text that is legal in JSONC and not in JSON. */
export interface JsoncPart {
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
  return spliced(
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
