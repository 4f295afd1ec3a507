import { anyRun, compileSegment, fitsOne, type Segment, segmentFits, type Token } from "../rules/path-segment.ts";
import { isPathPattern, unescapePattern } from "../shell/word-pieces.ts";
import type { PathFs, ResolvedPath } from "./resolve-path.ts";

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

const maxPaths = 5_000;

interface Candidate {
  readonly path: string;
  /** Known to be there and no link: nothing more has to be looked up. */
  readonly plain?: { readonly parent: string; readonly name: string; readonly kind: "file" | "folder" | "special" };
}

/** The names bash would put in place of a pattern: hidden ones only for a pattern that starts with a dot, links by their own name. */
export function expandGlob(
  pattern: string,
  folder: string,
  fs: PathFs,
  resolve: (path: string) => ResolvedPath,
): readonly ResolvedPath[] {
  const segments = pattern.split("/").filter((segment) => segment !== "");
  let found: Candidate[] = [{ path: pattern.startsWith("/") ? "" : folder.replace(/\/+$/, "") }];
  for (const [index, text] of segments.entries()) {
    const last = index === segments.length - 1;
    if (!isPathPattern(text)) {
      found = found.map(({ path }) => ({ path: `${path}/${unescapePattern(text)}` }));
      continue;
    }
    const segment = compileSegment(text, "bash");
    const next: Candidate[] = [];
    for (const { path } of found) {
      const entries = fs.list?.(path === "" ? "/" : path);
      const dots = meetsDots(segment) ? [".", ".."].map((name) => ({ name, kind: "link" as const })) : [];
      for (const { name, kind } of [...dots, ...(entries ?? [])]) {
        if ((name.startsWith(".") && !meetsDots(segment)) || !segmentFits(segment, name, false)) continue;
        if (!last && (kind === "file" || kind === "special")) continue;
        const whither = `${path}/${name}`;
        next.push(kind === "link" ? { path: whither } : { path: whither, plain: { parent: path || "/", name, kind } });
      }
      if (next.length > maxPaths) return [];
    }
    found = next;
  }
  return found.map((candidate) => resolved(candidate, resolve)).filter(({ kind }) => kind !== "missing");
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
