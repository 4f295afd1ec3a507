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

/** Who reads a pattern: they differ in what a backslash escapes and in what may be in a set. */
type Syntax = "gitignore" | "bash";

/**
 * A segment with `*`, `?` and `[…]`. In gitignore a backslash escapes the sign after it, be it `*`, `[` or a space; in bash it escapes
 * any character.
 */
export function compileSegment(text: string, syntax: Syntax = "gitignore"): Segment {
  // Folding letters changes none of the signs of a pattern.
  const [tokens, folded] = [tokensOf(text, syntax), tokensOf(foldName(text), syntax)];
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

function tokensOf(text: string, syntax: Syntax): Token[] {
  const letters = Array.from(text);
  const tokens: Token[] = [];
  for (let index = 0; index < letters.length; index++) {
    const letter = letters[index] ?? "";
    const next = letters[index + 1];
    if (letter === "\\" && next !== undefined && (syntax === "bash" || /[^\p{L}\p{N}_]/u.test(next))) {
      tokens.push(next);
      index += 1;
    } else if (letter === "*") {
      if (tokens.at(-1) !== anyRun) tokens.push(anyRun);
    } else if (letter === "?") {
      tokens.push(anyOne);
    } else if (letter === "[") {
      const read = readSet(letters, index + 1, syntax);
      tokens.push(read?.token ?? "[");
      index = read?.end ?? index;
    } else {
      tokens.push(letter);
    }
  }
  return tokens;
}

/**
 * Reads a set up to its `]`; undefined when it is never closed, then `[` means itself. In bash a set with a class or an escape counts as
 * any letter: too many names rather than too few.
 */
function readSet(letters: readonly string[], start: number, syntax: Syntax): { token: Token; end: number } | undefined {
  const negated = letters[start] === "!" || letters[start] === "^";
  const first = negated ? start + 1 : start;
  const ranges: [number, number][] = [];
  let rough = false;
  for (let index = first; index < letters.length; index++) {
    const letter = letters[index] ?? "";
    if (letter === "]" && index > first) return { token: rough ? anyOne : { negated, ranges }, end: index };
    const next = letters[index + 1];
    if (syntax === "bash" && letter === "[" && next !== undefined && ":.=".includes(next)) {
      const end = letters.findIndex((sign, at) => at > index + 1 && sign === next && letters[at + 1] === "]");
      rough = true;
      if (end > 0) index = end + 1;
      continue;
    }
    if (syntax === "bash" && letter === "\\") {
      rough = true;
      index += 1;
      continue;
    }
    const low = letter.codePointAt(0) ?? 0;
    const until = next === "-" ? letters[index + 2] : undefined;
    const isRange = until !== undefined && until !== "]";
    ranges.push([low, isRange ? (until.codePointAt(0) ?? low) : low]);
    if (isRange) index += 2;
  }
  return undefined;
}
