import { escapeRegExp, lazy, messageOf, Problem, plainLine } from "../../protocol/internal.ts";

/** A search query in two forms: for JSON on disk, and for decoded text. */
export interface SearchPattern {
  /** Offsets of possible matches in a part of a file, read as Latin-1. */
  readonly candidateOffsets: (latin1: string) => Iterable<number>;
  /** The first match in decoded text: the whole phrase, or all of its words. */
  readonly find: (text: string) => Match | undefined;
}

export interface Match {
  readonly from: number;
  readonly to: number;
  /** The whole phrase matched, not only its words. */
  readonly phrase: boolean;
}

/** Options that control how a search query is matched. */
export interface SearchPatternOptions {
  /** The query is a regular expression. */
  readonly regex?: boolean;
  /** Upper and lower case differ. */
  readonly matchCase?: boolean;
}

export function searchPattern(query: string, options: SearchPatternOptions = {}): SearchPattern {
  if (options.regex) return regexPattern(expressionOf(query, options.matchCase ? "u" : "iu"));
  const fold = options.matchCase ? (text: string) => text : foldCase;
  const phrase = fold(query.trim());
  const words = [...new Set(phrase.split(/\s+/u).filter(Boolean))];
  const longestWord = words.reduce((longest, word) => (word.length > longest.length ? word : longest), "");
  return {
    candidateOffsets: byteSearch(longestWord, options.matchCase === true),
    find(text) {
      const folded = fold(text);
      const at = folded.indexOf(phrase);
      if (at >= 0) return { from: at, to: at + phrase.length, phrase: true };
      if (words.length < 2 || !words.every((word) => folded.includes(word))) return undefined;
      const first = Math.min(...words.map((word) => folded.indexOf(word)));
      const firstWord = words.find((word) => folded.startsWith(word, first)) ?? "";
      return { from: first, to: first + firstWord.length, phrase: false };
    },
  };
}

function expressionOf(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (cause) {
    throw new Problem("sessions/option", plainLine(messageOf(cause)), { about: { option: "query" }, cause });
  }
}

/** A regular expression cannot be applied to JSON text, so every line is a candidate. */
function regexPattern(pattern: RegExp): SearchPattern {
  return {
    *candidateOffsets(latin1) {
      for (let at = 0; at >= 0 && at < latin1.length; at = latin1.indexOf("\n", at) + 1 || -1) yield at;
    },
    find(text) {
      const match = pattern.exec(text);
      return match === null ? undefined : { from: match.index, to: match.index + match[0].length, phrase: true };
    },
  };
}

/**
 * Finds a word in the forms that JSON allows: plain, or with any character as a `\u` escape. Claude Code writes it plain. The second,
 * slower pattern is used only for text with such an escape of a printable character.
 */
function byteSearch(word: string, matchCase: boolean): SearchPattern["candidateOffsets"] {
  const flags = matchCase ? "g" : "gi";
  const plain = new RegExp([...word].map((char) => spellings(char, matchCase, false)).join(""), flags);
  const escaped = new RegExp([...word].map((char) => spellings(char, matchCase, true)).join(""), flags);
  const hasEscapes = (latin1: string) => latin1.includes("\\u") && /\\u(?:00[2-7]|0[1-9a-f]|[1-9a-f])/i.test(latin1);
  return function* (latin1) {
    for (const match of latin1.matchAll(hasEscapes(latin1) ? escaped : plain)) yield match.index;
  };
}

function spellings(char: string, matchCase: boolean, withEscapes: boolean): string {
  const variants = matchCase ? [char] : [char, ...(upperCases().get(char) ?? [])];
  const plain = variants.map((variant) =>
    isAscii(variant) ? asciiSpelling(variant) : escapeRegExp(Buffer.from(variant).toString("latin1")),
  );
  const escaped = withEscapes || !isAscii(char) ? variants.map(unicodeEscape) : [];
  const all = [...new Set([...plain, ...escaped])];
  return all.length === 1 ? (all[0] ?? "") : `(?:${all.join("|")})`;
}

/** Lower case with the same length. Two letters need care: İ would become two characters, and final sigma depends on its neighbors. */
function foldCase(text: string): string {
  return text.replaceAll("\u0130", "i").toLowerCase().replaceAll("\u03c2", "\u03c3");
}

/** All letters with the same lower case, by that lower case. Some have several: `K` and the Kelvin sign become `k`. */
const upperCases = lazy(() => {
  const uppers = new Map<string, string[]>();
  for (let code = 0x41; code <= 0x1ffff; code++) {
    const char = String.fromCodePoint(code);
    const lower = foldCase(char);
    if (lower !== char) uppers.set(lower, [...(uppers.get(lower) ?? []), char]);
  }
  return uppers;
});

function asciiSpelling(char: string): string {
  const short = { '"': '\\\\"', "\\": "\\\\\\\\", "/": "\\\\?/", "\b": "\\\\b", "\f": "\\\\f", "\t": "\\\\t" }[char];
  return short ?? escapeRegExp(char);
}

/** Matches hexadecimal digits in either case. */
function unicodeEscape(text: string): string {
  return Array.from({ length: text.length }, (_, index) => {
    const hex = text.charCodeAt(index).toString(16).padStart(4, "0");
    return `\\\\u${[...hex].map((digit) => (/[a-f]/.test(digit) ? `[${digit}${digit.toUpperCase()}]` : digit)).join("")}`;
  }).join("");
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}
