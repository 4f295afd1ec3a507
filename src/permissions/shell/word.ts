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
 * Reads a word of the tree and verifies it against its source: its parts must cover the word without a gap, and what the parser took
 * for literal text must be literal for bash. Deviations are reported as problems.
 */
export function readWord(word: Word, scope: TextSource, findings: WordFindings): ReadWord {
  const raw = scope.source.slice(word.pos, word.end);
  if (isPlain(raw) && word.text === raw) return plainWord(raw, scope.span(word.pos, word.end));
  const reading = emptyReading();
  const parts = word.parts;
  if (parts === undefined || parts.length === 0) readPlain(raw, word, reading, scope, findings);
  else readParts(parts, word, reading, scope, findings);
  if (hasBraces(reading.bare)) report(findings, "construct", scope, word, raw);
  const tilde = tildeOf(reading.bare, reading.glob);
  const brackets = hasBrackets(reading.bare);
  return {
    pieces: brackets || hasTilde(reading.bare) ? piecesWithoutTilde(reading.bare, reading.glob) : reading.glob,
    raw,
    at: scope.span(word.pos, word.end),
    splits: reading.splits || brackets,
    ...(tilde === undefined ? {} : { tilde }),
    behindVariable: reading.behindVariable,
    readings: reading.alternatives,
    ...(reading.atoms ? { atoms: reading.atoms } : {}),
  };
}

/** A word before expansion. `atoms` is set if it contains only text, variables and globs. */
export interface ReadWord extends ShellWord {
  readonly atoms?: readonly Atom[];
}

/** Whether all characters are literal in any position, as in most words of most commands. */
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
  alternatives: string[];
  /** Undefined if the word contains anything else than text, plain variables and globs. */
  atoms: Atom[] | undefined;
  quoted: boolean;
}

function emptyReading(): Reading {
  return {
    glob: [""],
    bare: "",
    splits: false,
    behindVariable: false,
    afterVariable: false,
    alternatives: [],
    atoms: [],
    quoted: false,
  };
}

function readParts(
  parts: readonly WordPart[],
  word: Word,
  reading: Reading,
  scope: TextSource,
  findings: WordFindings,
): void {
  let at = word.pos;
  for (const part of parts) {
    if (part.pos !== at || part.end <= part.pos) report(findings, "lexical", scope, word, word.text);
    at = part.end;
    readPart(part, reading, scope, findings);
  }
  if (at !== word.end) report(findings, "lexical", scope, word, word.text);
}

function readPart(part: WordPart, reading: Reading, scope: TextSource, findings: WordFindings): void {
  const raw = scope.source.slice(part.pos, part.end);
  switch (part.type) {
    case "Literal":
      readPlain(raw, part, reading, scope, findings);
      break;
    case "Glob":
      if (part.kind === "bracket") {
        for (const inner of part.parts) readPart(inner, emptyReading(), scope, findings);
      }
      reading.behindVariable ||= reading.afterVariable;
      reading.splits = true;
      appendAtom(reading, /['"\\$`]/.test(raw) ? undefined : { pattern: raw, quoted: false });
      append(reading, gap, maskOf(raw.length), false);
      break;
    case "SingleQuoted":
      if (raw.length < 2 || raw !== `'${part.value}'` || part.value.includes("'")) {
        report(findings, "lexical", scope, part, raw);
      }
      appendAtom(reading, { pattern: escapePattern(raw.slice(1, -1)), quoted: true });
      append(reading, [raw.slice(1, -1)], maskOf(raw.length), false);
      break;
    case "DoubleQuoted":
      readDoubleQuoted(part, reading, scope, findings);
      break;
    case "SimpleExpansion":
      readSimple(part, scope, findings);
      reading.splits = true;
      appendAtom(reading, variableAtom(raw, reading.quoted));
      append(reading, gap, maskOf(raw.length), true);
      break;
    case "ParameterExpansion":
      readParameter(part, scope, findings, readOperand);
      reading.splits = true;
      appendAtom(reading, variableAtom(raw, reading.quoted));
      append(reading, gap, maskOf(raw.length), true);
      break;
    case "CommandExpansion":
    case "ProcessSubstitution":
      readSubstitution(part, scope, findings);
      reading.splits = true;
      // `<(…)` expands to the name of a pipe.
      appendAtom(reading, part.type === "ProcessSubstitution" ? { pattern: "/dev/fd/63", quoted: true } : undefined);
      append(reading, gap, maskOf(raw.length), true);
      break;
    case "ArithmeticExpansion":
      readArithmetic(part, scope, findings);
      appendAtom(reading, { name: "#", quoted: true });
      append(reading, gap, maskOf(raw.length), true);
      break;
    case "AnsiCQuoted":
      report(findings, "construct", scope, part, raw);
      reading.alternatives.push(part.value);
      appendAtom(reading, undefined);
      append(reading, [part.value], maskOf(raw.length), false);
      break;
    case "LocaleString":
      report(findings, "construct", scope, part, raw);
      for (const child of part.parts) readPart(child, reading, scope, findings);
      return;
    case "BraceExpansion":
    case "ExtendedGlob":
      report(findings, "construct", scope, part, raw);
      for (const child of part.parts ?? []) readPart(child, emptyReading(), scope, findings);
      reading.splits = true;
      appendAtom(reading, undefined);
      append(reading, gap, maskOf(raw.length), true);
      break;
    default:
      report(findings, "construct", scope, part satisfies never, raw);
  }
}

function readPlain(
  raw: string,
  node: { pos: number; end: number },
  reading: Reading,
  scope: TextSource,
  findings: WordFindings,
): void {
  const literal = readUnquoted(raw);
  if (!literal.clean) report(findings, "lexical", scope, node, raw);
  if (literal.pieces.length > 1) reading.splits = true;
  if (reading.afterVariable && /^[/*?[]/.test(raw)) reading.behindVariable = true;
  appendAtom(reading, { pattern: unquotedPattern(raw), quoted: false });
  append(reading, literal.pieces, literal.bare, false);
}

function readDoubleQuoted(
  part: Extract<WordPart, { type: "DoubleQuoted" }>,
  reading: Reading,
  scope: TextSource,
  findings: WordFindings,
): void {
  const raw = scope.source.slice(part.pos, part.end);
  if (raw.length < 2 || !raw.startsWith('"') || !raw.endsWith('"')) report(findings, "lexical", scope, part, raw);
  let at = part.pos + 1;
  append(reading, [""], maskOf(1), reading.afterVariable);
  appendAtom(reading, { pattern: "", quoted: true });
  for (const child of part.parts) {
    if (child.pos !== at) report(findings, "lexical", scope, part, raw);
    at = child.end;
    readQuotedChild(child, reading, scope, findings);
  }
  if (at !== part.end - 1) report(findings, "lexical", scope, part, raw);
}

function readQuotedChild(child: WordPart, reading: Reading, scope: TextSource, findings: WordFindings): void {
  const raw = scope.source.slice(child.pos, child.end);
  if (child.type === "Literal") {
    const literal = readQuoted(raw, false);
    if (!literal.clean) report(findings, "lexical", scope, child, raw);
    if (reading.afterVariable && raw.startsWith("/")) reading.behindVariable = true;
    appendAtom(reading, { pattern: escapePattern(literal.pieces.join("")), quoted: true });
    append(reading, literal.pieces, literal.bare, false);
    return;
  }
  const before = reading.splits;
  reading.quoted = true;
  readPart(child, reading, scope, findings);
  reading.quoted = false;
  // In quotes an expansion stays one word, except `$@`.
  reading.splits = before || /^\$\{?@/.test(raw);
}

/** Reads the word inside `${x:-…}`. Only the scripts in it matter; the value is unknown anyway. */
function readOperand(word: Word, scope: TextSource, findings: WordFindings): void {
  readWord(word, scope, findings);
}

function append(reading: Reading, [first, ...rest]: Glob, bare: string, variable: boolean): void {
  const { glob } = reading;
  glob[glob.length - 1] += first;
  // Two adjacent gaps are one.
  for (const piece of rest) if (glob.length === 1 || glob.at(-1) !== "" || piece !== "") glob.push(piece);
  reading.bare += bare;
  reading.afterVariable = variable;
}

/** Appends an atom. Without one, the atoms of the word are unknown. */
function appendAtom(reading: Reading, atom: Atom | undefined): void {
  if (atom === undefined) reading.atoms = undefined;
  else reading.atoms?.push(atom);
}
