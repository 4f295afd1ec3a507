import type { Word, WordPart } from "unbash";
import type { Glob } from "../rules/spec-patterns.ts";
import { readArithmetic, readParameter, readSimple, readSubstitution } from "./expansion.ts";
import { emptyWord, type ShellWord } from "./shell-part.ts";
import { report, sourceOf, type WordFindings } from "./walk-context.ts";
import {
  type Atom,
  gap,
  hasBraces,
  hasBrackets,
  hasTilde,
  maskOf,
  piecesWithoutTilde,
  quotedAtom,
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
export function readWord(word: Word, findings: WordFindings): ReadWord {
  const raw = sourceOf(findings.scope, word);
  const at = findings.scope.span(word.pos, word.end);
  if (isPlain(raw) && word.text === raw) return { ...emptyWord, pieces: [raw], raw, at };
  const reading = emptyReading();
  const parts = word.parts;
  if (parts === undefined || parts.length === 0) readPlain(word, reading, findings);
  else readParts(parts, word, reading, findings);
  if (hasBraces(reading.bare)) report(findings, "construct", word);
  const tilde = tildeOf(reading.bare, reading.glob);
  const brackets = hasBrackets(reading.bare);
  return {
    pieces: brackets || hasTilde(reading.bare) ? piecesWithoutTilde(reading.bare, reading.glob) : reading.glob,
    raw,
    at,
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

function emptyReading() {
  return {
    glob: [""] as [string, ...string[]],
    bare: "",
    splits: false,
    behindVariable: false,
    afterVariable: false,
    alternatives: [] as string[],
    /** Undefined if the word contains anything else than text, plain variables and globs. */
    atoms: [] as Atom[] | undefined,
    quoted: false,
  };
}

type Reading = ReturnType<typeof emptyReading>;

function readParts(parts: readonly WordPart[], word: Word, reading: Reading, findings: WordFindings): void {
  let at = word.pos;
  for (const part of parts) {
    if (part.pos !== at || part.end <= part.pos) report(findings, "lexical", word, word.text);
    at = part.end;
    readPart(part, reading, findings);
  }
  if (at !== word.end) report(findings, "lexical", word, word.text);
}

/** What `<(…)` expands to. */
const pipeName = quotedAtom("/dev/fd/63");

function readPart(part: WordPart, reading: Reading, findings: WordFindings): void {
  const raw = sourceOf(findings.scope, part);
  switch (part.type) {
    case "Literal":
      readPlain(part, reading, findings);
      break;
    case "Glob":
      if (part.kind === "bracket") {
        for (const inner of part.parts) readPart(inner, emptyReading(), findings);
      }
      reading.behindVariable ||= reading.afterVariable;
      reading.splits = true;
      append(reading, gap, /['"\\$`]/.test(raw) ? undefined : { pattern: raw, quoted: false }, maskOf(raw.length));
      break;
    case "SingleQuoted":
      if (raw.length < 2 || raw !== `'${part.value}'` || part.value.includes("'")) report(findings, "lexical", part);
      append(reading, [raw.slice(1, -1)], quotedAtom(raw.slice(1, -1)), maskOf(raw.length));
      break;
    case "DoubleQuoted":
      readDoubleQuoted(part, reading, findings);
      break;
    case "SimpleExpansion":
    case "ParameterExpansion":
      if (part.type === "SimpleExpansion") readSimple(part, findings);
      else readParameter(part, findings, readWord);
      reading.splits = true;
      append(reading, gap, variableAtom(raw, reading.quoted), maskOf(raw.length), true);
      break;
    case "CommandExpansion":
    case "ProcessSubstitution":
      readSubstitution(part, findings);
      reading.splits = true;
      append(reading, gap, part.type === "CommandExpansion" ? undefined : pipeName, maskOf(raw.length), true);
      break;
    case "ArithmeticExpansion":
      readArithmetic(part, findings);
      append(reading, gap, { name: "#", quoted: true }, maskOf(raw.length), true);
      break;
    case "AnsiCQuoted":
      report(findings, "construct", part);
      reading.alternatives.push(part.value);
      append(reading, [part.value], undefined, maskOf(raw.length));
      break;
    case "LocaleString":
      report(findings, "construct", part);
      for (const child of part.parts) readPart(child, reading, findings);
      return;
    case "BraceExpansion":
    case "ExtendedGlob":
      report(findings, "construct", part);
      for (const child of part.parts ?? []) readPart(child, emptyReading(), findings);
      reading.splits = true;
      append(reading, gap, undefined, maskOf(raw.length), true);
      break;
    default:
      report(findings, "construct", part satisfies never, raw);
  }
}

function readPlain(node: Word | WordPart, reading: Reading, findings: WordFindings): void {
  const raw = sourceOf(findings.scope, node);
  const literal = readUnquoted(raw);
  if (!literal.clean) report(findings, "lexical", node);
  if (literal.pieces.length > 1) reading.splits = true;
  if (reading.afterVariable && /^[/*?[]/.test(raw)) reading.behindVariable = true;
  append(reading, literal.pieces, { pattern: unquotedPattern(raw), quoted: false }, literal.bare);
}

function readDoubleQuoted(
  part: Extract<WordPart, { type: "DoubleQuoted" }>,
  reading: Reading,
  findings: WordFindings,
): void {
  const raw = sourceOf(findings.scope, part);
  if (raw.length < 2 || !raw.startsWith('"') || !raw.endsWith('"')) report(findings, "lexical", part);
  let at = part.pos + 1;
  append(reading, [""], quotedAtom(""), maskOf(1), reading.afterVariable);
  for (const child of part.parts) {
    if (child.pos !== at) report(findings, "lexical", part);
    at = child.end;
    readQuotedChild(child, reading, findings);
  }
  if (at !== part.end - 1) report(findings, "lexical", part);
}

function readQuotedChild(child: WordPart, reading: Reading, findings: WordFindings): void {
  const raw = sourceOf(findings.scope, child);
  if (child.type === "Literal") {
    const literal = readQuoted(raw, false);
    if (!literal.clean) report(findings, "lexical", child);
    if (reading.afterVariable && raw.startsWith("/")) reading.behindVariable = true;
    append(reading, literal.pieces, quotedAtom(literal.pieces.join("")), literal.bare);
    return;
  }
  const before = reading.splits;
  reading.quoted = true;
  readPart(child, reading, findings);
  reading.quoted = false;
  // In quotes an expansion stays one word, except `$@`.
  reading.splits = before || /^\$\{?@/.test(raw);
}

/** Appends a piece of the word. Without an atom, the atoms of the word are unknown. */
function append(
  reading: Reading,
  [first, ...rest]: Glob,
  atom: Atom | undefined,
  bare: string,
  isVariable = false,
): void {
  const { glob } = reading;
  glob[glob.length - 1] += first;
  // Two adjacent gaps are one.
  for (const piece of rest) if (glob.length === 1 || glob.at(-1) !== "" || piece !== "") glob.push(piece);
  if (atom === undefined) reading.atoms = undefined;
  else reading.atoms?.push(atom);
  reading.bare += bare;
  reading.afterVariable = isVariable;
}
