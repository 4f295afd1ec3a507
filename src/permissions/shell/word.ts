import type { Word, WordPart } from "unbash";
import type { Glob } from "../rules/spec-glob.ts";
import { readArithmetic, readParameter, readSimple, readSubstitution } from "./expansion.ts";
import { report, type TextSource, type WordFindings } from "./scope.ts";
import type { ShellWord, Span } from "./shell-part.ts";
import {
  type Atom,
  escapePattern,
  gap,
  hasBraces,
  hasBrackets,
  hasTilde,
  maskOf,
  piecesWithoutTilde,
  readQuoted,
  readUnquoted,
  tildeOf,
  unquotedPattern,
  variableAtom,
} from "./word-pieces.ts";

/**
 * A word of the tree as a value, checked against its source: the parts must cover the word without a hole,
 * and what the parser took for plain text must be plain text for bash. What is not goes to `found`.
 */
export function readWord(word: Word, scope: TextSource, found: WordFindings): ReadWord {
  const raw = scope.source.slice(word.pos, word.end);
  if (isPlain(raw) && word.text === raw) return plainWord(raw, scope.span(word.pos, word.end));
  const reading = fresh();
  const parts = word.parts;
  if (parts === undefined || parts.length === 0) readPlain(raw, word, reading, scope, found);
  else readParts(parts, word, reading, scope, found);
  if (hasBraces(reading.bare)) report(found, "construct", scope, word, raw);
  const tilde = tildeOf(reading.bare, reading.glob);
  const brackets = hasBrackets(reading.bare);
  return {
    pieces: brackets || hasTilde(reading.bare) ? piecesWithoutTilde(reading.bare, reading.glob) : reading.glob,
    raw,
    at: scope.span(word.pos, word.end),
    splits: reading.splits || brackets,
    ...(tilde === undefined ? {} : { tilde }),
    behindVariable: reading.behindVariable,
    readings: reading.others,
    ...(reading.atoms ? { atoms: reading.atoms } : {}),
  };
}

/** A word as written, with what it is made of where bash expands nothing but variables and names of files in it. */
export interface ReadWord extends ShellWord {
  readonly atoms?: readonly Atom[];
}

/** Letters that mean themselves wherever they stand: most words of most commands. */
function isPlain(raw: string): boolean {
  return /^[\w./:@%+^-]+$/.test(raw);
}

function plainWord(raw: string, at: Span): ShellWord {
  return { pieces: [raw], raw, at, splits: false, behindVariable: false, readings: [] };
}

interface Reading {
  readonly glob: [string, ...string[]];
  bare: string;
  splits: boolean;
  behindVariable: boolean;
  afterVariable: boolean;
  others: string[];
  /** Undefined once something in the word is neither text nor a plain variable. */
  atoms: Atom[] | undefined;
  quoted: boolean;
}

function fresh(): Reading {
  return {
    glob: [""],
    bare: "",
    splits: false,
    behindVariable: false,
    afterVariable: false,
    others: [],
    atoms: [],
    quoted: false,
  };
}

function readParts(
  parts: readonly WordPart[],
  word: Word,
  reading: Reading,
  scope: TextSource,
  found: WordFindings,
): void {
  let at = word.pos;
  for (const part of parts) {
    if (part.pos !== at || part.end <= part.pos) report(found, "lexical", scope, word, word.text);
    at = part.end;
    readPart(part, reading, scope, found);
  }
  if (at !== word.end) report(found, "lexical", scope, word, word.text);
}

function readPart(part: WordPart, reading: Reading, scope: TextSource, found: WordFindings): void {
  const raw = scope.source.slice(part.pos, part.end);
  switch (part.type) {
    case "Literal":
      readPlain(raw, part, reading, scope, found);
      break;
    case "Glob":
      if (part.kind === "bracket") {
        for (const inner of part.parts) readPart(inner, fresh(), scope, found);
      }
      reading.behindVariable ||= reading.afterVariable;
      reading.splits = true;
      addAtom(reading, /['"\\$`]/.test(raw) ? undefined : { pattern: raw, quoted: false });
      add(reading, gap, maskOf(raw.length), false);
      break;
    case "SingleQuoted":
      if (raw.length < 2 || raw !== `'${part.value}'` || part.value.includes("'")) {
        report(found, "lexical", scope, part, raw);
      }
      addAtom(reading, { pattern: escapePattern(raw.slice(1, -1)), quoted: true });
      add(reading, [raw.slice(1, -1)], maskOf(raw.length), false);
      break;
    case "DoubleQuoted":
      readDoubleQuoted(part, reading, scope, found);
      break;
    case "SimpleExpansion":
      readSimple(part, scope, found);
      reading.splits = true;
      addAtom(reading, variableAtom(raw, reading.quoted));
      add(reading, gap, maskOf(raw.length), true);
      break;
    case "ParameterExpansion":
      readParameter(part, scope, found, readOperand);
      reading.splits = true;
      addAtom(reading, variableAtom(raw, reading.quoted));
      add(reading, gap, maskOf(raw.length), true);
      break;
    case "CommandExpansion":
    case "ProcessSubstitution":
      readSubstitution(part, scope, found);
      reading.splits = true;
      // `<(…)` is the name of a pipe.
      addAtom(reading, part.type === "ProcessSubstitution" ? { pattern: "/dev/fd/63", quoted: true } : undefined);
      add(reading, gap, maskOf(raw.length), true);
      break;
    case "ArithmeticExpansion":
      readArithmetic(part, scope, found);
      addAtom(reading, { name: "#", quoted: true });
      add(reading, gap, maskOf(raw.length), true);
      break;
    case "AnsiCQuoted":
      report(found, "construct", scope, part, raw);
      reading.others.push(part.value);
      addAtom(reading, undefined);
      add(reading, [part.value], maskOf(raw.length), false);
      break;
    case "LocaleString":
      report(found, "construct", scope, part, raw);
      for (const child of part.parts) readPart(child, reading, scope, found);
      return;
    case "BraceExpansion":
    case "ExtendedGlob":
      report(found, "construct", scope, part, raw);
      for (const child of part.parts ?? []) readPart(child, fresh(), scope, found);
      reading.splits = true;
      addAtom(reading, undefined);
      add(reading, gap, maskOf(raw.length), true);
      break;
    default:
      report(found, "construct", scope, part satisfies never, raw);
  }
}

function readPlain(
  raw: string,
  node: { pos: number; end: number },
  reading: Reading,
  scope: TextSource,
  found: WordFindings,
): void {
  const literal = readUnquoted(raw);
  if (!literal.clean) report(found, "lexical", scope, node, raw);
  if (literal.pieces.length > 1) reading.splits = true;
  if (reading.afterVariable && /^[/*?[]/.test(raw)) reading.behindVariable = true;
  addAtom(reading, { pattern: unquotedPattern(raw), quoted: false });
  add(reading, literal.pieces, literal.bare, false);
}

function readDoubleQuoted(
  part: Extract<WordPart, { type: "DoubleQuoted" }>,
  reading: Reading,
  scope: TextSource,
  found: WordFindings,
): void {
  const raw = scope.source.slice(part.pos, part.end);
  if (raw.length < 2 || !raw.startsWith('"') || !raw.endsWith('"')) report(found, "lexical", scope, part, raw);
  let at = part.pos + 1;
  add(reading, [""], maskOf(1), reading.afterVariable);
  addAtom(reading, { pattern: "", quoted: true });
  for (const child of part.parts) {
    if (child.pos !== at) report(found, "lexical", scope, part, raw);
    at = child.end;
    readQuotedChild(child, reading, scope, found);
  }
  if (at !== part.end - 1) report(found, "lexical", scope, part, raw);
}

function readQuotedChild(child: WordPart, reading: Reading, scope: TextSource, found: WordFindings): void {
  const raw = scope.source.slice(child.pos, child.end);
  if (child.type === "Literal") {
    const literal = readQuoted(raw, false);
    if (!literal.clean) report(found, "lexical", scope, child, raw);
    if (reading.afterVariable && raw.startsWith("/")) reading.behindVariable = true;
    addAtom(reading, { pattern: escapePattern(literal.pieces.join("")), quoted: true });
    add(reading, literal.pieces, literal.bare, false);
    return;
  }
  const before = reading.splits;
  reading.quoted = true;
  readPart(child, reading, scope, found);
  reading.quoted = false;
  // In quotes an expansion stays one word, but for the list of all arguments.
  reading.splits = before || /^\$\{?@/.test(raw);
}

/** The word inside `${x:-…}`: its value is not known anyway, what matters is what runs in it. */
function readOperand(word: Word, scope: TextSource, found: WordFindings): void {
  readWord(word, scope, found);
}

function add(reading: Reading, [first, ...rest]: Glob, bare: string, variable: boolean): void {
  const { glob } = reading;
  glob[glob.length - 1] += first;
  // Two gaps side by side are one.
  for (const piece of rest) if (glob.length === 1 || glob.at(-1) !== "" || piece !== "") glob.push(piece);
  reading.bare += bare;
  reading.afterVariable = variable;
}

/** Without an atom the word is not made of known things alone. */
function addAtom(reading: Reading, atom: Atom | undefined): void {
  if (atom === undefined) reading.atoms = undefined;
  else reading.atoms?.push(atom);
}
