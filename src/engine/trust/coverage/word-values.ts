import { type Dirent, readdirSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { attempt, defined } from "../../../protocol/internal.ts";
import { readShellText } from "./shell-text.ts";
import type { Piece, TextWord } from "./shell-words.ts";

/**
 * Placeholders in a value. They are private-use characters, which file names do not contain:
 * for an unknown part, and for unquoted pattern characters.
 */
export const unknown = "\uE000";
const anyText = "\uE001";
const anyChar = "\uE002";
const setStart = "\uE003";
const braceOpen = "\uE004";
const braceClose = "\uE005";
const braceComma = "\uE006";

/** The placeholder of each pattern character. */
const patternSigns: Readonly<Record<string, string>> = {
  "*": anyText,
  "?": anyChar,
  "[": setStart,
  "{": braceOpen,
  "}": braceClose,
  ",": braceComma,
};

/** The values that variables may have, by name. */
export type KnownVariables = ReadonlyMap<string, readonly string[]>;

/** The variables of a command of a checkout. */
export function initialVariables(real: string, home: string, pluginRoot?: string): KnownVariables {
  const known = { CLAUDE_PROJECT_DIR: real, HOME: home, ...defined({ CLAUDE_PLUGIN_ROOT: pluginRoot }) };
  return new Map(Object.entries(known).map(([name, value]) => [name, [value]]));
}

export interface ValueContext {
  readonly variables: KnownVariables;
  readonly home: string;
  /** The folders that the text may be in: the values of `PWD`. */
  readonly folders: readonly string[];
  /** What a script prints, if that is known. */
  printed(script: string): string | undefined;
}

/** A command cannot be approved: a limit of the analysis is exceeded, or a file cannot be read. The message says why. */
export class NotApprovable extends Error {}

/** Counts what an analysis uses up, and refuses more than the limit. */
export function budget(limit: number, message: string): (count: number) => void {
  let left = limit;
  return (count) => {
    left -= count;
    if (left < 0) throw new NotApprovable(message);
  };
}

const maxValues = 64;
const maxValueLength = 4_096;

/** Every value a word may have. Unknown parts are `unknown`. */
export function valuesOf({ pieces }: TextWord, context: ValueContext, depth = 0): readonly string[] {
  let values: readonly string[] = [""];
  for (const [index, piece] of pieces.entries()) {
    const next = isPositionalParameter(pieces) ? [""] : pieceValues(piece, index === 0, context, depth);
    if (values.length * next.length > maxValues) throw new NotApprovable("a word has too many possible values");
    values = values.flatMap((value) => next.map((more) => value + more));
  }
  return [...new Set(values.flatMap(withoutBraces))].map((value) => (value.length > maxValueLength ? unknown : value));
}

function pieceValues(piece: Piece, first: boolean, context: ValueContext, depth: number): readonly string[] {
  if (piece.kind === "text") return [piece.quoted ? piece.text : unquoted(piece.text, first, context)];
  if (piece.kind === "output") return [context.printed(piece.script) ?? unknown];
  return variableValues(piece, context, depth);
}

function unquoted(text: string, first: boolean, { home }: ValueContext): string {
  const signs = text.replace(/[*?[{},]/g, (sign) => patternSigns[sign] ?? sign);
  if (!first) return signs;
  return signs.replace(/^~(?=\/|$)/, home).replace(/^~[+-](?=\/|$)/, ".");
}

/** `$1`, `$@` and the like as a whole word: the argument is analyzed where the call is. */
export function isPositionalParameter(pieces: readonly Piece[]): boolean {
  const [piece, ...rest] = pieces.filter((one) => one.kind !== "text" || one.text !== "");
  return rest.length === 0 && piece?.kind === "variable" && piece.operator === "" && /^[0-9@*]+$/.test(piece.name);
}

function variableValues(
  { name, operator, operand }: Piece & { kind: "variable" },
  context: ValueContext,
  depth: number,
): readonly string[] {
  const assigned = context.variables.get(name);
  const held = name === "PWD" ? [...context.folders, ...(assigned ?? [])] : assigned;
  if (/^:?[-=]$/.test(operator)) return held ?? [...operandValues(operand, context, depth), unknown];
  if (/^:?\+$/.test(operator)) return [...operandValues(operand, context, depth), ""];
  if (held !== undefined && /^%%?$/.test(operator) && operand === "/*") return held.map(folderOf);
  return held !== undefined && (operator === "" || /^:?\?$/.test(operator)) ? held : [unknown];
}

function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "." : path.slice(0, slash);
}

const maxDepth = 4;

function operandValues(operand: string, context: ValueContext, depth: number): readonly string[] {
  if (depth >= maxDepth) return [unknown];
  const [command] = readShellText(operand).commands;
  const [word] = command?.words ?? [];
  return word === undefined ? [""] : valuesOf(word, context, depth + 1);
}

/** `{a,b}` becomes several values, a range matches any text; other braces are plain characters. */
function withoutBraces(value: string): readonly string[] {
  let values: readonly string[] = [value];
  for (let round = 0; round < 8 && values.some((one) => innermostBraces.test(one)); round++) {
    values = values.flatMap(firstBraces);
    if (values.length > maxValues) throw new NotApprovable("a word in braces has too many possible values");
  }
  return values.map((one) => one.replace(/[\uE004-\uE006]/g, (sign) => writtenAs(sign) ?? ""));
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

/** Whether a value is a pattern that the shell expands from disk. */
export function holdsPatternSign(value: string): boolean {
  return /[\uE001-\uE003]/.test(value);
}

/** A value with its placeholders as they were written. */
export function printable(value: string): string {
  return value.replace(/[\uE000-\uE006]/g, (sign) => writtenAs(sign) ?? "…");
}

const maxMatches = 2_000;

/** What a pattern matches on disk from a folder, as a shell without options expands it. An unknown part matches any text. */
export function expandPattern(pattern: string, folder: string): readonly string[] {
  const segments = pattern.split("/").filter((segment) => segment !== "" && segment !== ".");
  let found = [isAbsolute(pattern) ? "/" : resolve(folder)];
  for (const segment of segments) {
    found =
      segment.includes(unknown) || holdsPatternSign(segment)
        ? found.flatMap((place) => matching(place, segment))
        : found.map((place) => join(place, segment));
    if (found.length > maxMatches)
      throw new NotApprovable(`${printable(pattern)} matches more than ${maxMatches} files`);
  }
  return found;
}

function matching(folder: string, segment: string): string[] {
  const hidden = segment.startsWith(".") || segment.startsWith(unknown);
  return entriesOf(folder)
    .filter(({ name }) => (hidden || !name.startsWith(".")) && matches(segment, name))
    .map(({ name }) => join(folder, name));
}

/** Backtracks to the last sign for any text only, so that every pattern takes linear time. */
function matches(segment: string, name: string): boolean {
  const pattern = segment
    // A set may match any character: one file more that must not change.
    .replace(/\uE003[\s\S][^\]]*\]/g, anyChar)
    .replaceAll(unknown, anyText)
    .replaceAll(setStart, "[");
  let [sign, at] = [0, 0];
  let back: { sign: number; at: number } | undefined;
  while (at < name.length) {
    if (pattern[sign] === anyText) back = { sign: ++sign, at };
    else if (pattern[sign] === anyChar || pattern[sign] === name[at]) {
      sign += 1;
      at += 1;
    } else if (back !== undefined) {
      back = { sign: back.sign, at: back.at + 1 };
      [sign, at] = [back.sign, back.at];
    } else return false;
  }
  return pattern.slice(sign).replaceAll(anyText, "") === "";
}

/** Whether a name matches a pattern that is an argument of a program. */
export function matchesText(pattern: string, name: string): boolean {
  return matches(
    pattern.replace(/[*?[]/g, (sign) => patternSigns[sign] ?? sign),
    name,
  );
}

/** The entries of a folder; empty when it cannot be read. */
export function entriesOf(folder: string): readonly Dirent[] {
  return attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];
}

/** Every file below a folder, including links, without version control and installed packages. */
export function filesBelow(folder: string): readonly string[] {
  const found: string[] = [];
  const folders = [folder];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const entry of entriesOf(at)) {
      if (entry.isDirectory()) {
        if (entry.name !== ".git" && entry.name !== "node_modules") folders.push(join(at, entry.name));
      } else found.push(join(at, entry.name));
    }
    if (found.length > maxMatches) throw new NotApprovable(`${folder} holds more than ${maxMatches} files`);
  }
  return found.sort();
}

/** The pattern character of a placeholder. */
function writtenAs(sign: string): string | undefined {
  return Object.keys(patternSigns).find((written) => patternSigns[written] === sign);
}
