import type { ShellProblem } from "./shell-part.ts";

const longestText = 65_536;
const mostSeparators = 4_000;
const mostRedirections = 4_000;
const mostVariables = 2_000;
const deepestNesting = 32;
const mostWork = 1_000_000;

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
  if (length > longestText) {
    problems.push({ code: "too-long", at: [longestText, text.length], text: `more than ${longestText} characters` });
    return problems;
  }
  const counted = count(text);
  const whole = [0, text.length] as const;
  if (counted.separators > mostSeparators) {
    problems.push({ code: "too-many-parts", at: whole, text: `more than ${mostSeparators} separators` });
  }
  if (counted.redirections > mostRedirections) {
    problems.push({ code: "too-many-parts", at: whole, text: `more than ${mostRedirections} redirections` });
  }
  if (counted.variables > mostVariables) {
    problems.push({ code: "too-many-parts", at: whole, text: `more than ${mostVariables} variables` });
  }
  if (counted.depth > deepestNesting) {
    problems.push({ code: "too-deep", at: whole, text: `nested more than ${deepestNesting} deep` });
  }
  if (counted.openers * length > mostWork) {
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
