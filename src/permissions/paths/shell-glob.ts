import {
  anyOne,
  anyRun,
  fitsOne,
  type LetterSet,
  type Segment,
  segmentFits,
  type Token,
} from "../rules/path-segment.ts";
import { isPathPattern, unescapePattern } from "../shell/word-pieces.ts";
import { foldName, type PathFs, type ResolvedPath } from "./resolve-path.ts";

/** One segment of a glob as bash reads it; `\\` takes the next letter as it is. */
export function compileShellSegment(text: string): Segment {
  const [tokens, folded] = [tokensOf(text), tokensOf(foldName(text))];
  if (!tokens.every((token) => typeof token === "string")) return { tokens, folded };
  return { tokens, folded, literal: tokens.join(""), foldedLiteral: folded.join("") };
}

/** Whether bash lets the pattern meet names that begin with a dot: only one that begins with it itself. */
export function meetsDots({ tokens }: Segment): boolean {
  return tokens[0] === ".";
}

/** Whether some name fits both the segment of a rule and that of a glob. */
export function segmentsOverlap(rule: Segment, glob: Segment, folded: boolean): boolean {
  if (rule.tokens[0] === "." && !meetsDots(glob)) return false;
  const [a, b] = folded ? [rule.folded, glob.folded] : [rule.tokens, glob.tokens];
  // Pairs of places that can be reached, one row at a time; a run may stay where it is.
  let row = closure(new Set([0]), b);
  for (const token of a) {
    const next = new Set<number>();
    if (token === anyRun) {
      const least = Math.min(...row);
      for (let at = least; at <= b.length; at++) next.add(at);
    } else {
      for (const at of row) {
        const other = b[at];
        if (other === anyRun) next.add(at);
        else if (other !== undefined && compatible(token, other)) next.add(at + 1);
      }
    }
    if (next.size === 0) return false;
    row = closure(next, b);
  }
  return row.has(b.length);
}

/** A run may also take nothing. */
function closure(row: Set<number>, tokens: readonly Token[]): Set<number> {
  for (const at of row) if (tokens[at] === anyRun) row.add(at + 1);
  return row;
}

function compatible(a: Token, b: Token): boolean {
  if (typeof a === "string" && typeof b === "string") return a === b;
  if (typeof a === "string") return fitsOne(b, a);
  if (typeof b === "string") return fitsOne(a, b);
  return true;
}

function tokensOf(text: string): Token[] {
  const letters = Array.from(text);
  const tokens: Token[] = [];
  for (let index = 0; index < letters.length; index++) {
    const letter = letters[index] ?? "";
    if (letter === "\\" && index + 1 < letters.length) {
      index += 1;
      tokens.push(letters[index] ?? "");
    } else if (letter === "*") {
      if (tokens.at(-1) !== anyRun) tokens.push(anyRun);
    } else if (letter === "?") tokens.push(anyOne);
    else if (letter === "[") {
      const read = readSet(letters, index + 1);
      tokens.push(read?.token ?? "[");
      index = read?.end ?? index;
    } else tokens.push(letter);
  }
  return tokens;
}

/** A set up to its `]`. One with a class or an escape in it counts as any letter: too many names rather than too few. */
function readSet(letters: readonly string[], start: number): { token: Token; end: number } | undefined {
  const negated = letters[start] === "!" || letters[start] === "^";
  const first = negated ? start + 1 : start;
  const ranges: [number, number][] = [];
  let rough = false;
  for (let index = first; index < letters.length; index++) {
    const letter = letters[index] ?? "";
    if (letter === "]" && index > first) {
      const set: LetterSet = { negated, ranges };
      return { token: rough ? anyOne : set, end: index };
    }
    const next = letters[index + 1];
    if (letter === "[" && next !== undefined && ":.=".includes(next)) {
      const end = letters.findIndex((sign, at) => at > index + 1 && sign === next && letters[at + 1] === "]");
      rough = true;
      if (end > 0) index = end + 1;
      continue;
    }
    if (letter === "\\") {
      rough = true;
      index += 1;
      continue;
    }
    const low = letter.codePointAt(0) ?? 0;
    const until = next === "-" ? letters[index + 2] : undefined;
    if (until === undefined || until === "]") ranges.push([low, low]);
    else {
      ranges.push([low, until.codePointAt(0) ?? low]);
      index += 2;
    }
  }
  return undefined;
}

/** What a glob meets on disk. `whole` is false when not all of it could be looked at. */
interface GlobMatches {
  readonly paths: readonly ResolvedPath[];
  readonly whole: boolean;
}

const maxPaths = 5_000;

interface Candidate {
  readonly path: string;
  /** Known to be there and no link: nothing more has to be looked up. */
  readonly plain?: { readonly parent: string; readonly name: string; readonly kind: "file" | "folder" | "special" };
}

/** The names bash would put in place of a pattern: hidden ones only where it says so, links by their own name. */
export function expandGlob(
  pattern: string,
  folder: string,
  fs: PathFs,
  resolve: (path: string) => ResolvedPath,
): GlobMatches {
  const segments = pattern.split("/").filter((segment) => segment !== "");
  let found: Candidate[] = [{ path: pattern.startsWith("/") ? "" : folder.replace(/\/+$/, "") }];
  let whole = fs.list !== undefined;
  for (const [index, text] of segments.entries()) {
    const last = index === segments.length - 1;
    if (!isPathPattern(text)) {
      found = found.map(({ path }) => ({ path: `${path}/${unescapePattern(text)}` }));
      continue;
    }
    const segment = compileShellSegment(text);
    const next: Candidate[] = [];
    for (const { path } of found) {
      const entries = fs.list?.(path === "" ? "/" : path);
      if (entries === undefined) whole = false;
      const dots = meetsDots(segment) ? [".", ".."].map((name) => ({ name, kind: "link" as const })) : [];
      for (const { name, kind } of [...dots, ...(entries ?? [])]) {
        if ((name.startsWith(".") && !meetsDots(segment)) || !segmentFits(segment, name, false)) continue;
        if (!last && (kind === "file" || kind === "special")) continue;
        const whither = `${path}/${name}`;
        next.push(kind === "link" ? { path: whither } : { path: whither, plain: { parent: path || "/", name, kind } });
      }
      if (next.length > maxPaths) return { paths: [], whole: false };
    }
    found = next;
  }
  return {
    paths: found.map((candidate) => resolved(candidate, resolve)).filter(({ kind }) => kind !== "missing"),
    whole,
  };
}

function resolved({ path, plain }: Candidate, resolve: (path: string) => ResolvedPath): ResolvedPath {
  if (plain === undefined) return resolve(path);
  const parent = resolve(plain.parent);
  const below = (folder: string): string => (folder === "/" ? `/${plain.name}` : `${folder}/${plain.name}`);
  return {
    given: path,
    written: below(parent.written),
    resolved: below(parent.resolved),
    spellings: parent.spellings.map(below),
    links: parent.links,
    kind: plain.kind,
  };
}
