import { foldName } from "../paths/resolve-path.ts";

/** One segment of a path pattern, as tokens. `folded` is for comparisons that ignore case. */
export interface Segment {
  readonly tokens: readonly Token[];
  readonly folded: readonly Token[];
  /** The name itself, if the segment is not a pattern. */
  readonly literal?: string;
  readonly foldedLiteral?: string;
}

/** A literal character, any one character, any run of characters, or one character of a set. */
export type Token = string | typeof anyOne | typeof anyRun | LetterSet;

export interface LetterSet {
  readonly negated: boolean;
  readonly ranges: readonly (readonly [number, number])[];
}

export const anyOne: { readonly any: "one" } = { any: "one" };
export const anyRun: { readonly any: "run" } = { any: "run" };

/** The dialect of a pattern. Dialects differ in which characters a backslash escapes and in the syntax of sets. */
type GlobSyntax = "gitignore" | "bash";

/**
 * Compiles a segment with `*`, `?` and `[…]`. In gitignore a backslash escapes only punctuation and spaces; in bash it escapes any
 * character.
 */
export function compileSegment(text: string, syntax: GlobSyntax = "gitignore"): Segment {
  // Folding does not change the metacharacters of a pattern.
  const [tokens, folded] = [tokenize(text, syntax), tokenize(foldName(text), syntax)];
  if (!tokens.every((token) => typeof token === "string")) return { tokens, folded };
  return { tokens, folded, literal: tokens.join(""), foldedLiteral: folded.join("") };
}

/** The name that the segment stands for, if it is not a pattern. */
export function literalName(segment: Segment, folded: boolean): string | undefined {
  return folded ? segment.foldedLiteral : segment.literal;
}

/** Whether a name matches. With `folded` the name must already be folded. */
export function matchesSegment(segment: Segment, name: string, folded: boolean): boolean {
  const literal = literalName(segment, folded);
  if (literal !== undefined) return literal === name;
  const tokens = folded ? segment.folded : segment.tokens;
  return matchesWithRuns(tokens, Array.from(name), (token) => token === anyRun, matchesToken);
}

/**
 * Whether a pattern matches all items; a run matches any number of them. Backtracks only to the last run, so the time is at most the
 * product of both lengths.
 */
export function matchesWithRuns<Wanted, Item>(
  pattern: readonly Wanted[],
  items: readonly Item[],
  isRun: (wanted: Wanted) => boolean,
  fits: (wanted: Wanted, item: Item) => boolean,
): boolean {
  let [at, from] = [0, 0];
  let backtrack: { at: number; from: number } | undefined;
  while (from < items.length || at < pattern.length) {
    const wanted = pattern[at];
    const item = items[from];
    if (wanted !== undefined && isRun(wanted)) {
      backtrack = { at: at + 1, from };
      at += 1;
    } else if (wanted !== undefined && item !== undefined && fits(wanted, item)) {
      at += 1;
      from += 1;
    } else {
      if (backtrack === undefined || backtrack.from >= items.length) return false;
      backtrack = { at: backtrack.at, from: backtrack.from + 1 };
      ({ at, from } = backtrack);
    }
  }
  return true;
}

/** Whether one character matches a token. A run matches any. */
export function matchesToken(token: Token, letter: string): boolean {
  if (typeof token === "string") return token === letter;
  if ("any" in token) return true;
  const code = letter.codePointAt(0) ?? 0;
  return token.ranges.some(([low, high]) => low <= code && code <= high) !== token.negated;
}

function tokenize(text: string, syntax: GlobSyntax): Token[] {
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
 * Reads a set up to its `]`. Undefined if it is not closed: then `[` is literal. A bash set with a class or an escape is read as any
 * character, which matches too many names rather than too few.
 */
function readSet(letters: readonly string[], start: number, syntax: GlobSyntax) {
  const negated = letters[start] === "!" || letters[start] === "^";
  const first = negated ? start + 1 : start;
  const ranges: [number, number][] = [];
  let isApproximate = false;
  for (let index = first; index < letters.length; index++) {
    const letter = letters[index] ?? "";
    if (letter === "]" && index > first) return { token: isApproximate ? anyOne : { negated, ranges }, end: index };
    const next = letters[index + 1];
    if (syntax === "bash" && letter === "[" && next !== undefined && ":.=".includes(next)) {
      const end = letters.findIndex((sign, at) => at > index + 1 && sign === next && letters[at + 1] === "]");
      isApproximate = true;
      if (end > 0) index = end + 1;
      continue;
    }
    if (syntax === "bash" && letter === "\\") {
      isApproximate = true;
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
