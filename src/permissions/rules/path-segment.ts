import { foldName } from "../paths/fold.ts";

/** One segment of a path pattern, as tokens; `fold` is the same for folded names. */
export interface Segment {
  readonly tokens: readonly Token[];
  readonly folded: readonly Token[];
}

type Token = string | "?one" | "*run" | CharacterClass;

interface CharacterClass {
  readonly negated: boolean;
  readonly ranges: readonly (readonly [number, number])[];
}

/** `*`, `?` and `[…]` as in gitignore; `\*` and the other escapes of rules are literal. */
export function compileSegment(text: string): Segment {
  return { tokens: tokensOf(text), folded: tokensOf(foldPattern(text)) };
}

/** At most pattern times name in time: only the last `*` is ever tried again. */
export function segmentFits(segment: Segment, name: string, folded: boolean): boolean {
  const tokens = folded ? segment.folded : segment.tokens;
  const chars = Array.from(name);
  let [at, from] = [0, 0];
  let retry: { at: number; from: number } | undefined;
  while (from < chars.length || at < tokens.length) {
    const token = tokens[at];
    if (token === "*run") {
      retry = { at: at + 1, from };
      at += 1;
      continue;
    }
    const char = chars[from];
    if (token !== undefined && char !== undefined && fitsOne(token, char)) {
      at += 1;
      from += 1;
      continue;
    }
    if (retry === undefined || retry.from >= chars.length) return false;
    retry = { at: retry.at, from: retry.from + 1 };
    ({ at, from } = retry);
  }
  return true;
}

function fitsOne(token: Token, char: string): boolean {
  if (token === "?one") return true;
  if (typeof token === "string") return token === char;
  const code = char.codePointAt(0) ?? 0;
  return token.ranges.some(([low, high]) => low <= code && code <= high) !== token.negated;
}

function tokensOf(text: string): Token[] {
  const chars = Array.from(text);
  const tokens: Token[] = [];
  for (let index = 0; index < chars.length; index++) {
    const char = chars[index] ?? "";
    const next = chars[index + 1];
    if (char === "\\" && next !== undefined && "*()\\".includes(next)) {
      tokens.push(next);
      index += 1;
    } else if (char === "*") {
      if (tokens.at(-1) !== "*run") tokens.push("*run");
    } else if (char === "?") {
      tokens.push("?one");
    } else if (char === "[") {
      const read = readClass(chars, index + 1);
      tokens.push(read?.token ?? "[");
      index = read?.end ?? index;
    } else {
      tokens.push(char);
    }
  }
  return tokens;
}

/** Reads a class up to its `]`; undefined when it is never closed, then `[` means itself. */
function readClass(chars: readonly string[], start: number): { token: CharacterClass; end: number } | undefined {
  const negated = chars[start] === "!" || chars[start] === "^";
  const first = negated ? start + 1 : start;
  const ranges: [number, number][] = [];
  for (let index = first; index < chars.length; index++) {
    const char = chars[index] ?? "";
    if (char === "]" && index > first) return { token: { negated, ranges }, end: index };
    const low = char.codePointAt(0) ?? 0;
    const until = chars[index + 1] === "-" ? chars[index + 2] : undefined;
    if (until === undefined || until === "]") {
      ranges.push([low, low]);
      continue;
    }
    ranges.push([low, until.codePointAt(0) ?? low]);
    index += 2;
  }
  return undefined;
}

/** Folding must not touch the pattern's own signs; none of them changes under it. */
function foldPattern(text: string): string {
  return foldName(text);
}
