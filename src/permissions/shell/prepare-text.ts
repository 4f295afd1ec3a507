import { type ParsedScript, parse } from "unbash";
import { messageOf } from "../../protocol/internal.ts";
import type { ShellProblem } from "./shell-part.ts";

const maxTextLength = 65_536;
const maxSeparators = 4_000;
const maxRedirections = 4_000;
const maxVariables = 2_000;
const maxNestingDepth = 32;
const maxWork = 1_000_000;

// Everything bash and a parser, or a person and either, may read differently: C0 but tab and newline, DEL, C1, odd spaces,
// separators, zero-width and bidi marks, BOM, lone surrogates.
const odd = new RegExp(
  [
    "[\\x01-\\x08\\x0b-\\x1f\\x7f-\\xa0\\xad]",
    "[\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f]",
    "[\\u3000\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb]",
    "[\\ud800-\\udbff](?![\\udc00-\\udfff])",
    "(?<![\\ud800-\\udbff])[\\udc00-\\udfff]",
  ].join("|"),
);

/** Characters that must not be in a text that is analysed: each is read differently by somebody. */
export function oddCharacters(text: string): ShellProblem[] {
  const problems: ShellProblem[] = [];
  const nul = text.indexOf("\0");
  if (nul >= 0) problems.push({ code: "nul", at: [nul, nul + 1], text: "NUL" });
  const strange = odd.exec(text);
  if (strange) {
    problems.push({ code: "odd-character", at: [strange.index, strange.index + 1], text: codePoint(strange[0]) });
  }
  return problems;
}

/** What would cost the parser too much. `hidden` characters of the text are blots that cost nothing. */
export function costs(text: string, hidden = 0): ShellProblem[] {
  const problems: ShellProblem[] = [];
  const length = text.length - hidden;
  if (length > maxTextLength) {
    problems.push({
      code: "too-long",
      at: [maxTextLength, text.length],
      text: `more than ${maxTextLength} characters`,
    });
    return problems;
  }
  const counted = count(text);
  const whole = [0, text.length] as const;
  if (counted.separators > maxSeparators) {
    problems.push({ code: "too-many-parts", at: whole, text: `more than ${maxSeparators} separators` });
  }
  if (counted.redirections > maxRedirections) {
    problems.push({ code: "too-many-parts", at: whole, text: `more than ${maxRedirections} redirections` });
  }
  if (counted.variables > maxVariables) {
    problems.push({ code: "too-many-parts", at: whole, text: `more than ${maxVariables} variables` });
  }
  if (counted.depth > maxNestingDepth) {
    problems.push({ code: "too-deep", at: whole, text: `nested more than ${maxNestingDepth} deep` });
  }
  if (counted.openers * length > maxWork) {
    problems.push({ code: "too-costly", at: whole, text: `${counted.openers} brackets in ${length} characters` });
  }
  return problems;
}

interface Counted {
  readonly separators: number;
  readonly redirections: number;
  readonly variables: number;
  readonly openers: number;
  readonly depth: number;
}

function count(text: string): Counted {
  let [separators, redirections, variables, openers, open, depth] = [0, 0, 0, 0, 0, 0];
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case 0x3b: // ;
      case 0x26: // &
      case 0x7c: // |
      case 0x0a:
        separators += 1;
        break;
      case 0x3c: // <
      case 0x3e: // >
        redirections += 1;
        break;
      case 0x24: // $
        variables += 1;
        break;
      case 0x28: // (
      case 0x7b: // {
      case 0x5b: // [
        openers += 1;
        open += 1;
        depth = Math.max(depth, open);
        break;
      case 0x60: // backtick
        openers += 1;
        break;
      case 0x29: // )
      case 0x7d: // }
      case 0x5d: // ]
        open = Math.max(0, open - 1);
        break;
    }
  }
  return { separators, redirections, variables, openers, depth };
}

function codePoint(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** A text with the bodies of quoted here-documents blotted out, so that what they hold costs nothing and hides nothing. */
export interface MaskedText {
  readonly text: string;
  /** Where each body begins. The tree must have a here-document at each of them, or the blots are wrong. */
  readonly bodies: readonly number[];
  /** How many characters were blotted out. */
  readonly hidden: number;
}

/** Stands for each character of a body. */
export const maskCharacter = ":";

const opener = /<<(-?)[ \t]*(?:'([\w.+-]+)'|"([\w.+-]+)"|\\([\w.+-]+))(?![\w.+'"\\$`-])/;

/**
 * Masks, at the same length, the text between `<<'E'` and the first line that is `E`. Whether `<<'E'` really opens a
 * here-document only the grammar knows: it may be in quotes or in a comment. The parser of the result has to check.
 */
export function maskHeredocs(text: string): MaskedText {
  if (!text.includes("<<")) return { text, bodies: [], hidden: 0 };
  const bodies: number[] = [];
  const lines = lineIndex(text);
  let [masked, at, hidden] = ["", 0, 0];
  while (at < text.length) {
    const end = lineEnd(text, at);
    masked += text.slice(at, end);
    const body = bodyAfter(text.slice(at, end), end, lines);
    at = end;
    if (body === undefined) continue;
    bodies.push(end);
    const length = body - end;
    // One long line of a sign that no delimiter holds.
    masked += length === 0 ? "" : `${maskCharacter.repeat(length - 1)}\n`;
    hidden += length;
    at = body;
  }
  return { text: masked, bodies, hidden };
}

/** Where the body that a line opens ends, or undefined when it opens none, or more than one. */
function bodyAfter(line: string, start: number, lines: LineIndex): number | undefined {
  const found = opener.exec(line);
  if (found === null || line.indexOf("<<", found.index + 2) >= 0 || line.indexOf("<<") !== found.index) {
    return undefined;
  }
  const mark = found[2] ?? found[3] ?? found[4] ?? "";
  return firstFrom((found[1] === "-" ? lines.untabbed : lines.exact).get(mark), start);
}

/** Where lines that may end a here-document begin, by their text. */
interface LineIndex {
  readonly exact: ReadonlyMap<string, readonly number[]>;
  readonly untabbed: ReadonlyMap<string, readonly number[]>;
}

function lineIndex(text: string): LineIndex {
  const [exact, untabbed] = [new Map<string, number[]>(), new Map<string, number[]>()];
  for (let at = 0; at < text.length; at = lineEnd(text, at)) {
    const line = text.slice(at, lineEnd(text, at)).replace(/\n$/, "");
    const bare = line.replace(/^\t+/, "");
    if (!/^[\w.+-]+$/.test(bare)) continue;
    if (bare === line) note(exact, line, at);
    note(untabbed, bare, at);
  }
  return { exact, untabbed };
}

function note(places: Map<string, number[]>, line: string, at: number): void {
  const known = places.get(line);
  if (known) known.push(at);
  else places.set(line, [at]);
}

function lineEnd(text: string, at: number): number {
  const newline = text.indexOf("\n", at);
  return newline < 0 ? text.length : newline + 1;
}

/** The first of the ascending places that is not before `from`. */
export function firstFrom(places: readonly number[] | undefined, from: number): number | undefined {
  if (places === undefined) return undefined;
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return places[low];
}

/** The parser's tree, or why there is none. It tolerates errors; the walk reads each script's own list of them. */
export function parseShell(text: string): { script: ParsedScript } | { failed: string } {
  try {
    return { script: parse(text) };
  } catch (cause) {
    // Deep nesting overflows its stack; any other exception is as good a reason not to trust a tree.
    return { failed: messageOf(cause) };
  }
}
