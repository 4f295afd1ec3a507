import { messageOf, Problem, plainLine } from "../../protocol/internal.ts";
import { lazy } from "../model/transcript-conversation.ts";

/** What is looked for, in the two forms a search needs: bytes of JSON on disk, and decoded text. */
export interface SearchPattern {
  /** True when a stretch of a file, given as Latin-1, may hold it. False is certain; true is to be looked into. */
  readonly mayMatch: (latin1: string) => boolean;
  /** Places in `latin1` where a line may hold it. */
  readonly candidateOffsets: (latin1: string) => Iterable<number>;
  /** The first match in decoded text: the whole phrase, else all of its words. */
  readonly find: (text: string) => Match | undefined;
}

export interface Match {
  readonly from: number;
  readonly to: number;
  /** The words stand together, as they were asked for. */
  readonly phrase: boolean;
}

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
  const anchor = words.reduce((longest, word) => (word.length > longest.length ? word : longest), "");
  const places = placesOf(anchor, options.matchCase === true);
  return {
    ...places,
    find(text) {
      const folded = fold(text);
      const at = folded.indexOf(phrase);
      if (at >= 0) return { from: at, to: at + phrase.length, phrase: true };
      if (words.length < 2 || !words.every((word) => folded.includes(word))) return undefined;
      const first = Math.min(...words.map((word) => folded.indexOf(word)));
      return {
        from: first,
        to: first + (words.find((word) => folded.startsWith(word, first))?.length ?? 0),
        phrase: false,
      };
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

/** Nothing can be said about bytes: every line is looked at. */
function regexPattern(pattern: RegExp): SearchPattern {
  return {
    mayMatch: () => true,
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
 * A word in the spellings JSON allows: as it is, or with any character as `\u`. Clients write the first; the second, slower
 * pattern is tried only where such an escape of a printable character occurs at all.
 */
function placesOf(word: string, matchCase: boolean): Pick<SearchPattern, "mayMatch" | "candidateOffsets"> {
  const flags = matchCase ? "g" : "gi";
  const plain = new RegExp([...word].map((char) => spellings(char, matchCase, false)).join(""), flags);
  const escaped = new RegExp([...word].map((char) => spellings(char, matchCase, true)).join(""), flags);
  const escapes = (latin1: string) => latin1.includes("\\u") && /\\u(?:00[2-7]|0[1-9a-f]|[1-9a-f])/i.test(latin1);
  const patternFor = (latin1: string) => (escapes(latin1) ? escaped : plain);
  return {
    mayMatch(latin1) {
      plain.lastIndex = 0;
      escaped.lastIndex = 0;
      return plain.test(latin1) || (escapes(latin1) && escaped.test(latin1));
    },
    *candidateOffsets(latin1) {
      const pattern = patternFor(latin1);
      pattern.lastIndex = 0;
      for (const match of latin1.matchAll(pattern)) yield match.index;
    },
  };
}

function spellings(char: string, matchCase: boolean, withEscapes: boolean): string {
  const variants = matchCase ? [char] : [char, ...(upperOf().get(char) ?? [])];
  const plain = variants.map((one) =>
    isAscii(one) ? asciiSpelling(one) : literal(Buffer.from(one).toString("latin1")),
  );
  const escaped = withEscapes || !isAscii(char) ? variants.map(unicodeEscape) : [];
  const all = [...new Set([...plain, ...escaped])];
  return all.length === 1 ? (all[0] ?? "") : `(?:${all.join("|")})`;
}

/** Lower case, one character for one: the two letters that would become two, or depend on their neighbours, do not. */
function foldCase(text: string): string {
  return text.replaceAll("\u0130", "i").toLowerCase().replaceAll("\u03c2", "\u03c3");
}

/** From a letter to all those that become it in lower case: more than one for some (`k` and the Kelvin sign). */
const upperOf = lazy(() => {
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
  return short ?? literal(char);
}

/** Hexadecimal digits come in either case. */
function unicodeEscape(text: string): string {
  return Array.from({ length: text.length }, (_, index) => {
    const hex = text.charCodeAt(index).toString(16).padStart(4, "0");
    return `\\\\u${[...hex].map((digit) => (/[a-f]/.test(digit) ? `[${digit}${digit.toUpperCase()}]` : digit)).join("")}`;
  }).join("");
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}
