import type { Piece, TextWord } from "./shell-text.ts";
import { readShellText } from "./shell-text.ts";

/**
 * Signs in a value that stand for something else than themselves. They are characters for private use, which no name of a file holds:
 * what is not known, and the unquoted signs of patterns.
 */
export const unknown = "\uE000";
export const anyText = "\uE001";
export const anyChar = "\uE002";
export const setStart = "\uE003";
const [braceOpen, braceClose, braceComma] = ["\uE004", "\uE005", "\uE006"];

const active: Readonly<Record<string, string>> = {
  "*": anyText,
  "?": anyChar,
  "[": setStart,
  "{": braceOpen,
  "}": braceClose,
  ",": braceComma,
};
const plain: Readonly<Record<string, string>> = Object.fromEntries(Object.entries(active).map(([a, b]) => [b, a]));

/** What variables may hold, by name. */
export type Variables = ReadonlyMap<string, readonly string[]>;

export interface ValueContext {
  readonly variables: Variables;
  readonly home: string;
  /** What a script prints, where that can be told. */
  printed(script: string): string | undefined;
}

/** More values than anybody would look at. */
export class TooMany extends Error {}

const mostValues = 64;
const longest = 4_096;

/** Every value a word may have. What is not known is `unknown` in it. */
export function valuesOf({ pieces }: TextWord, context: ValueContext, depth = 0): readonly string[] {
  let values: readonly string[] = [""];
  for (const [index, piece] of pieces.entries()) {
    const next = isGiven(pieces) ? [""] : pieceValues(piece, index === 0, context, depth);
    if (values.length * next.length > mostValues) throw new TooMany("a word has more values than can be looked at");
    values = values.flatMap((value) => next.map((more) => value + more));
  }
  return [...new Set(values.flatMap(withoutBraces))].map((value) => (value.length > longest ? unknown : value));
}

function pieceValues(piece: Piece, first: boolean, context: ValueContext, depth: number): readonly string[] {
  if (piece.kind === "text") return [piece.quoted ? piece.text : unquoted(piece.text, first, context)];
  if (piece.kind === "output") return [context.printed(piece.script) ?? unknown];
  return variableValues(piece, context, depth);
}

function unquoted(text: string, first: boolean, { home, variables }: ValueContext): string {
  const signs = text.replace(/[*?[{},]/g, (sign) => active[sign] ?? sign);
  if (!first) return signs;
  return signs.replace(/^~(?=\/|$)/, home).replace(/^~\+(?=\/|$)/, variables.get("PWD")?.[0] ?? ".");
}

/** `$1`, `$@` and the like as a whole word: what is given is a word of the call, which is looked at where it stands. */
export function isGiven(pieces: readonly Piece[]): boolean {
  const [piece, ...rest] = pieces.filter((one) => one.kind !== "text" || one.text !== "");
  return rest.length === 0 && piece?.kind === "variable" && piece.operator === "" && /^[0-9@*]+$/.test(piece.name);
}

function variableValues(
  { name, operator, operand }: Piece & { kind: "variable" },
  context: ValueContext,
  depth: number,
): readonly string[] {
  const held = context.variables.get(name);
  if (/^:?[-=]$/.test(operator)) return held ?? [...operandValues(operand, context, depth), unknown];
  if (/^:?\+$/.test(operator)) return [...operandValues(operand, context, depth), ""];
  if (held !== undefined && /^%%?$/.test(operator) && operand === "/*") return held.map(folderOf);
  return held !== undefined && (operator === "" || /^:?\?$/.test(operator)) ? held : [unknown];
}

function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "." : path.slice(0, slash);
}

const deepest = 4;

function operandValues(operand: string, context: ValueContext, depth: number): readonly string[] {
  if (depth >= deepest) return [unknown];
  const [command] = readShellText(operand).commands;
  const [word] = command?.words ?? [];
  return word === undefined ? [""] : valuesOf(word, context, depth + 1);
}

/** `{a,b}` becomes several values, a range whatever stands there; braces without either are plain. */
function withoutBraces(value: string): readonly string[] {
  let values: readonly string[] = [value];
  for (let round = 0; round < 8; round++) {
    const next = values.flatMap(firstBraces);
    if (next.length > mostValues) throw new TooMany("a word in braces has more values than can be looked at");
    if (next.length === values.length && next.every((one, index) => one === values[index])) break;
    values = next;
  }
  return values.map((one) => one.replace(/[\uE004-\uE006]/g, (sign) => plain[sign] ?? ""));
}

const innermostBraces = /\uE004([^\uE004\uE005]*)\uE005/;

function firstBraces(value: string): readonly string[] {
  const found = innermostBraces.exec(value);
  if (found === null) return [value];
  const [whole, inside = ""] = found;
  const [before, after] = [value.slice(0, found.index), value.slice(found.index + whole.length)];
  if (inside.includes(braceComma)) return inside.split(braceComma).map((one) => before + one + after);
  if (/\.\./.test(inside)) return [before + anyText + after];
  return [`${before}{${inside}}${after}`];
}

/** Whether a value is a pattern that the shell fills in from the disk. */
export function isPattern(value: string): boolean {
  return /[\uE001-\uE003]/.test(value);
}

/** A value with its signs as they were written. */
export function asWritten(value: string): string {
  return value.replace(/[\uE000-\uE006]/g, (sign) => plain[sign] ?? "…");
}
