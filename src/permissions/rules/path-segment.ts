import { foldName } from "../paths/resolve-path.ts";

/** One segment of a path pattern, as tokens; `folded` is the same for names whose case does not count. */
export interface Segment {
  readonly tokens: readonly Token[];
  readonly folded: readonly Token[];
  /** The name itself, when it is no pattern. */
  readonly literal?: string;
  readonly foldedLiteral?: string;
}

/** A letter that means itself, any one letter, any run of letters, or one letter of a set. */
export type Token = string | typeof anyOne | typeof anyRun | LetterSet;

export interface LetterSet {
  readonly negated: boolean;
  readonly ranges: readonly (readonly [number, number])[];
}

export const anyOne: { readonly any: "one" } = { any: "one" };
export const anyRun: { readonly any: "run" } = { any: "run" };

/** `*`, `?` and `[…]` as in gitignore; a backslash takes the sign behind it literally, be it `*`, `[` or a blank. */
export function compileSegment(text: string): Segment {
  // None of the signs of a pattern changes when letters are folded.
  const [tokens, folded] = [tokensOf(text), tokensOf(foldName(text))];
  if (!tokens.every((token) => typeof token === "string")) return { tokens, folded };
  return { tokens, folded, literal: tokens.join(""), foldedLiteral: folded.join("") };
}

/** At most pattern times name in time: only the last `*` is ever tried again. */
export function segmentFits(segment: Segment, name: string, folded: boolean): boolean {
  const literal = folded ? segment.foldedLiteral : segment.literal;
  if (literal !== undefined) return literal === name;
  const tokens = folded ? segment.folded : segment.tokens;
  const letters = Array.from(name);
  let [at, from] = [0, 0];
  let retry: { at: number; from: number } | undefined;
  while (from < letters.length || at < tokens.length) {
    const token = tokens[at];
    if (token === anyRun) {
      retry = { at: at + 1, from };
      at += 1;
      continue;
    }
    const letter = letters[from];
    if (token !== undefined && letter !== undefined && fitsOne(token, letter)) {
      at += 1;
      from += 1;
      continue;
    }
    if (retry === undefined || retry.from >= letters.length) return false;
    retry = { at: retry.at, from: retry.from + 1 };
    ({ at, from } = retry);
  }
  return true;
}

/** Whether one letter fits a token; a run takes any. */
export function fitsOne(token: Token, letter: string): boolean {
  if (typeof token === "string") return token === letter;
  if ("any" in token) return true;
  const code = letter.codePointAt(0) ?? 0;
  return token.ranges.some(([low, high]) => low <= code && code <= high) !== token.negated;
}

function tokensOf(text: string): Token[] {
  const letters = Array.from(text);
  const tokens: Token[] = [];
  for (let index = 0; index < letters.length; index++) {
    const letter = letters[index] ?? "";
    const next = letters[index + 1];
    if (letter === "\\" && next !== undefined && /[^\p{L}\p{N}_]/u.test(next)) {
      tokens.push(next);
      index += 1;
    } else if (letter === "*") {
      if (tokens.at(-1) !== anyRun) tokens.push(anyRun);
    } else if (letter === "?") {
      tokens.push(anyOne);
    } else if (letter === "[") {
      const read = readSet(letters, index + 1);
      tokens.push(read?.set ?? "[");
      index = read?.end ?? index;
    } else {
      tokens.push(letter);
    }
  }
  return tokens;
}

/** Reads a set up to its `]`; undefined when it is never closed, then `[` means itself. */
function readSet(letters: readonly string[], start: number): { set: LetterSet; end: number } | undefined {
  const negated = letters[start] === "!" || letters[start] === "^";
  const first = negated ? start + 1 : start;
  const ranges: [number, number][] = [];
  for (let index = first; index < letters.length; index++) {
    const letter = letters[index] ?? "";
    if (letter === "]" && index > first) return { set: { negated, ranges }, end: index };
    const low = letter.codePointAt(0) ?? 0;
    const until = letters[index + 1] === "-" ? letters[index + 2] : undefined;
    if (until === undefined || until === "]") {
      ranges.push([low, low]);
      continue;
    }
    ranges.push([low, until.codePointAt(0) ?? low]);
    index += 2;
  }
  return undefined;
}
