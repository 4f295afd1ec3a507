import { segmentFits } from "../rules/path-segment.ts";
import { isPattern, unescapePattern } from "../shell/word-pieces.ts";
import type { PathFs } from "./path-fs.ts";
import type { ResolvedPath } from "./resolve-path.ts";
import { compileShellSegment, meetsDots } from "./shell-glob.ts";

/** What a glob meets on disk. `whole` is false when not all of it could be looked at. */
export interface GlobMatches {
  readonly paths: readonly ResolvedPath[];
  readonly whole: boolean;
}

const mostPaths = 5_000;

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
    if (!isPattern(text)) {
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
      if (next.length > mostPaths) return { paths: [], whole: false };
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
