import { type ParsedScript, parse } from "unbash";
import { messageOf } from "../../protocol/internal.ts";
import type { ShellProblem } from "./shell-part.ts";

const maxTextLength = 65_536;
const maxSeparators = 4_000;
const maxRedirections = 4_000;
const maxVariables = 2_000;
const maxNestingDepth = 32;
const maxWork = 1_000_000;

// Characters that bash, the parser and people may read differently: C0 except tab and newline, DEL, C1, unusual spaces, separators,
// zero-width and bidi marks, BOM, lone surrogates.
const oddCharacter = new RegExp(
  [
    "[\\x01-\\x08\\x0b-\\x1f\\x7f-\\xa0\\xad]",
    "[\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f]",
    "[\\u3000\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb]",
    "[\\ud800-\\udbff](?![\\udc00-\\udfff])",
    "(?<![\\ud800-\\udbff])[\\udc00-\\udfff]",
  ].join("|"),
);

/** Problems with characters that programs read differently. */
export function characterProblems(text: string): ShellProblem[] {
  const problems: ShellProblem[] = [];
  const nul = text.indexOf("\0");
  if (nul >= 0) problems.push({ code: "nul", at: [nul, nul + 1], text: "NUL" });
  const match = oddCharacter.exec(text);
  if (match) {
    problems.push({ code: "odd-character", at: [match.index, match.index + 1], text: codePoint(match[0]) });
  }
  return problems;
}

/** Problems with texts that would take too long to parse. The `hidden` characters are masked and cost nothing. */
export function costProblems(text: string, hidden = 0): readonly ShellProblem[] {
  const length = text.length - hidden;
  if (length > maxTextLength) {
    return [{ code: "too-long", at: [maxTextLength, text.length], text: `more than ${maxTextLength} characters` }];
  }
  const count = (characters: RegExp) => text.match(characters)?.length ?? 0;
  const openers = count(/[({[`]/g);
  const limits = [
    ["too-many-parts", count(/[;&|\n]/g) > maxSeparators, `more than ${maxSeparators} separators`],
    ["too-many-parts", count(/[<>]/g) > maxRedirections, `more than ${maxRedirections} redirections`],
    ["too-many-parts", count(/\$/g) > maxVariables, `more than ${maxVariables} variables`],
    ["too-deep", nestingDepth(text) > maxNestingDepth, `nested more than ${maxNestingDepth} deep`],
    ["too-costly", openers * length > maxWork, `${openers} brackets in ${length} characters`],
  ] as const;
  return limits.flatMap(([code, exceeded, why]) => (exceeded ? [{ code, at: [0, text.length], text: why }] : []));
}

/** The greatest number of brackets that are open at the same time. A closing bracket closes one of any kind. */
function nestingDepth(text: string): number {
  let [open, depth] = [0, 0];
  for (const [bracket] of text.matchAll(/[()[\]{}]/g)) {
    open = Math.max(0, open + ("([{".includes(bracket) ? 1 : -1));
    depth = Math.max(depth, open);
  }
  return depth;
}

function codePoint(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** A text in which the bodies of quoted here-documents are masked, so that their content has no cost and no effect. */
export interface MaskedText {
  readonly text: string;
  /** Where each body begins. If the tree does not have a here-document at each of them, the mask is wrong. */
  readonly bodies: readonly number[];
  /** The number of masked characters. */
  readonly hidden: number;
}

/** Replaces each character of a masked body. */
export const maskCharacter = ":";

const heredocOpener = /<<(-?)[ \t]*(?:'([\w.+-]+)'|"([\w.+-]+)"|\\([\w.+-]+))(?![\w.+'"\\$`-])/;

/**
 * Masks the text between `<<'E'` and the first line that is `E`, and keeps its length. `<<'E'` may also be in quotes or in a comment;
 * the caller must check this in the parsed tree.
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
    // One long line of a character that no delimiter contains.
    masked += length === 0 ? "" : `${maskCharacter.repeat(length - 1)}\n`;
    hidden += length;
    at = body;
  }
  return { text: masked, bodies, hidden };
}

/** The end of the body that a line opens. Undefined if it opens none, or more than one. */
function bodyAfter(line: string, start: number, lines: LineIndex): number | undefined {
  const match = heredocOpener.exec(line);
  if (match === null || line.indexOf("<<", match.index + 2) >= 0 || line.indexOf("<<") !== match.index) {
    return undefined;
  }
  const delimiter = match[2] ?? match[3] ?? match[4] ?? "";
  return firstAtOrAfter((match[1] === "-" ? lines.untabbed : lines.exact).get(delimiter), start);
}

/** The positions of lines that may end a here-document, by their text. */
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
    if (bare === line) addPosition(exact, line, at);
    addPosition(untabbed, bare, at);
  }
  return { exact, untabbed };
}

export function addPosition(positionsOf: Map<string, number[]>, text: string, at: number): void {
  const positions = positionsOf.get(text);
  if (positions) positions.push(at);
  else positionsOf.set(text, [at]);
}

function lineEnd(text: string, at: number): number {
  const newline = text.indexOf("\n", at);
  return newline < 0 ? text.length : newline + 1;
}

/** The first of the ascending positions that is at least `from`. */
export function firstAtOrAfter(positions: readonly number[] | undefined, from: number): number | undefined {
  if (positions === undefined) return undefined;
  let [low, high] = [0, positions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((positions[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return positions[low];
}

/** Parses a text. The parser tolerates errors; the walk reports those of each script. */
export function parseShell(text: string): { script: ParsedScript } | { failed: string } {
  try {
    return { script: parse(text) };
  } catch (cause) {
    // For example, deep nesting overflows the stack of the parser.
    return { failed: messageOf(cause) };
  }
}
