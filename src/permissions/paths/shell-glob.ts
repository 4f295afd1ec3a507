import {
  anyRun,
  compileSegment,
  matchesSegment,
  matchesToken,
  type Segment,
  type Token,
} from "../rules/path-segment.ts";
import { isPathPattern, unescapePattern } from "../shell/word-pieces.ts";
import type { PathFs, ResolvedPath } from "./resolve-path.ts";

/** Whether the pattern matches names that begin with a dot. In bash only a pattern that begins with a dot does. */
export function matchesDotFiles({ tokens }: Segment): boolean {
  return tokens[0] === ".";
}

/** Whether some name matches both the segment of a rule and the segment of a glob. */
export function segmentsOverlap(rule: Segment, glob: Segment, folded: boolean): boolean {
  if (rule.tokens[0] === "." && !matchesDotFiles(glob)) return false;
  const [a, b] = folded ? [rule.folded, glob.folded] : [rule.tokens, glob.tokens];
  // The positions in `b` that are reachable after each token of `a`.
  let row = withEmptyRuns(new Set([0]), b);
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
    row = withEmptyRuns(next, b);
  }
  return row.has(b.length);
}

/** Adds the positions behind runs, because a run may be empty. */
function withEmptyRuns(row: Set<number>, tokens: readonly Token[]): Set<number> {
  for (const at of row) if (tokens[at] === anyRun) row.add(at + 1);
  return row;
}

function compatible(a: Token, b: Token): boolean {
  if (typeof a === "string" && typeof b === "string") return a === b;
  if (typeof a === "string") return matchesToken(b, a);
  if (typeof b === "string") return matchesToken(a, b);
  return true;
}

const maxPaths = 5_000;

interface Candidate {
  readonly path: string;
  /** Set if the entry exists and is not a link, so no further lookup is needed. */
  readonly plain?: { readonly parent: string; readonly name: string; readonly kind: "file" | "folder" | "special" };
}

/** The paths to which bash expands a pattern. Links keep their own name; hidden names need a pattern that begins with a dot. */
export function expandGlob(
  pattern: string,
  folder: string,
  fs: PathFs,
  resolve: (path: string) => ResolvedPath,
): readonly ResolvedPath[] {
  const segments = pattern.split("/").filter((segment) => segment !== "");
  let matches: Candidate[] = [{ path: pattern.startsWith("/") ? "" : folder.replace(/\/+$/, "") }];
  for (const [index, text] of segments.entries()) {
    const last = index === segments.length - 1;
    if (!isPathPattern(text)) {
      matches = matches.map(({ path }) => ({ path: `${path}/${unescapePattern(text)}` }));
      continue;
    }
    const segment = compileSegment(text, "bash");
    const next: Candidate[] = [];
    for (const { path } of matches) {
      const entries = fs.list?.(path === "" ? "/" : path);
      const dots = matchesDotFiles(segment) ? [".", ".."].map((name) => ({ name, kind: "link" as const })) : [];
      for (const { name, kind } of [...dots, ...(entries ?? [])]) {
        if ((name.startsWith(".") && !matchesDotFiles(segment)) || !matchesSegment(segment, name, false)) continue;
        if (!last && (kind === "file" || kind === "special")) continue;
        const candidate = `${path}/${name}`;
        next.push(
          kind === "link" ? { path: candidate } : { path: candidate, plain: { parent: path || "/", name, kind } },
        );
      }
      if (next.length > maxPaths) return [];
    }
    matches = next;
  }
  return matches.map((candidate) => resolveCandidate(candidate, resolve)).filter(({ kind }) => kind !== "missing");
}

function resolveCandidate({ path, plain }: Candidate, resolve: (path: string) => ResolvedPath): ResolvedPath {
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
