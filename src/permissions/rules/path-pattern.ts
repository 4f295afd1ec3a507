import { foldName } from "../paths/resolve-path.ts";
import { compileSegment, type Segment, segmentFits } from "./path-segment.ts";
import type { Invalid } from "./rule.ts";

/** Where a path pattern starts: the file system's root, home, the rule's source, or the working directory. */
export type PathAnchor = "root" | "home" | "source" | "cwd";

/** What a path rule covers: segments below an anchor, with everything in a folder they name. */
export interface PathPattern {
  readonly anchor: PathAnchor;
  /** `"**"` crosses any number of segments. */
  readonly segments: readonly (Segment | "**")[];
  /** `x/y` and `x`, not `./x`: in deny and ask such a pattern holds at any depth. */
  readonly floats: boolean;
  /** One name below the working directory, as in `./x`, `./x/` and `./x/**`: in deny and ask it holds at any depth, as in the client. */
  readonly single: boolean;
  /** No `/` in it: a name, at any depth in every list. */
  readonly name: boolean;
}

const maxNameLength = 255;

export function compilePath(spec: string): PathPattern | Invalid {
  if (spec.startsWith("!")) return { invalid: "a path pattern cannot be negated; use the other list" };
  const { anchor, rest } = cutAnchor(spec);
  const inner = rest.replace(/\/+$/, "");
  const segments: (Segment | "**")[] = [];
  for (const text of inner.split("/")) {
    if (text === "" || text === ".") continue;
    if (text === "..") {
      return { invalid: "a path pattern does not climb: name the folder, with // from the root or ~/ from home" };
    }
    if (text.length > maxNameLength) return { invalid: `no file name has more than ${maxNameLength} characters` };
    if (text !== "**") segments.push(compileSegment(text));
    else if (segments.at(-1) !== "**") segments.push("**");
  }
  const floats = anchor === "cwd" && !/^\.(\/|$)/.test(spec);
  return {
    anchor,
    segments,
    floats,
    single: anchor === "cwd" && withoutLastRun(segments).length === 1,
    name: floats && segments.length === 1 && segments[0] !== "**" && !spec.includes("/"),
  };
}

export interface PathMatchOptions {
  /** Let a pattern without anchor hold at any depth: deny, ask and conditions do. */
  readonly anyDepth: boolean;
  /** Compare with case and Unicode form folded; the path's segments must be folded already. */
  readonly folded: boolean;
  /** `src/**` covers the folder `src` itself as well, as a search in it reads all that is there. */
  readonly folderItself: boolean;
}

/** Whether the pattern covers a path, given as segments below the anchor. */
export function coversPath(pattern: PathPattern, below: readonly string[], options: PathMatchOptions): boolean {
  const segments = options.folderItself ? withoutLastRun(pattern.segments) : pattern.segments;
  const anywhere = pattern.name || (options.anyDepth && (pattern.floats || pattern.single));
  return prefixFits(anywhere ? ["**", ...segments] : segments, below, options.folded);
}

/**
 * Whether the pattern covers a path for some value of a glob's gaps, or one in a folder it names. The glob's segments are
 * below the anchor; `overlaps` compares two of them.
 */
export function couldCoverPath(
  pattern: PathPattern,
  below: readonly Segment[],
  overlaps: (rule: Segment, glob: Segment) => boolean,
): boolean {
  const named = withoutLastRun(pattern.segments);
  const segments = pattern.floats || pattern.single ? (["**", ...named] as const) : named;
  // The places in the pattern that can be reached after each segment of the path.
  let reached = skipRuns(new Set([0]), segments);
  for (const segment of below) {
    if (reached.has(segments.length)) return true;
    const next = new Set<number>();
    for (const at of reached) {
      const wanted = segments[at];
      if (wanted === "**") next.add(at);
      else if (wanted !== undefined && overlaps(wanted, segment)) next.add(at + 1);
    }
    reached = skipRuns(next, segments);
  }
  return reached.has(segments.length);
}

function withoutLastRun(segments: PathPattern["segments"]): PathPattern["segments"] {
  return segments.at(-1) === "**" ? segments.slice(0, -1) : segments;
}

function skipRuns(places: Set<number>, segments: readonly (Segment | "**")[]): Set<number> {
  for (const at of places) if (segments[at] === "**") places.add(at + 1);
  return places;
}

/** The folders and name a pattern begins with, up to its first sign. */
export function leadingNames(pattern: PathPattern): string[] {
  const names: string[] = [];
  for (const segment of pattern.segments) {
    if (segment === "**" || segment.literal === undefined) break;
    names.push(segment.literal);
  }
  return names;
}

/** One test per segment: names that a path must hold for the pattern to cover it. */
export function namesNeeded(
  pattern: PathPattern,
  folded: boolean,
): { readonly literal?: string; readonly folded: boolean; fits(name: string): boolean }[] {
  const named = pattern.segments.filter((segment) => segment !== "**");
  return named.map((segment) => {
    const fits = (name: string) => segmentFits(segment, folded ? foldName(name) : name, folded);
    const literal = folded ? segment.foldedLiteral : segment.literal;
    return literal === undefined ? { folded, fits } : { literal, folded, fits };
  });
}

function cutAnchor(spec: string): { anchor: PathAnchor; rest: string } {
  if (spec.startsWith("//")) return { anchor: "root", rest: spec.slice(2) };
  if (spec.startsWith("/")) return { anchor: "source", rest: spec.slice(1) };
  if (spec === "~" || spec.startsWith("~/")) return { anchor: "home", rest: spec.slice(2) };
  return { anchor: "cwd", rest: spec };
}

/**
 * Whether the pattern fits the path or a folder above it. One step back to the last `**` is all it takes,
 * so the time is at most pattern times path.
 */
function prefixFits(pattern: readonly (Segment | "**")[], path: readonly string[], folded: boolean): boolean {
  let [at, from] = [0, 0];
  let retry: { at: number; from: number } | undefined;
  for (;;) {
    const segment = pattern[at];
    if (segment === undefined) return true;
    if (segment === "**" && at === pattern.length - 1) return from < path.length;
    if (segment === "**") {
      retry = { at: at + 1, from };
      at += 1;
      continue;
    }
    const name = path[from];
    if (name !== undefined && segmentFits(segment, name, folded)) {
      at += 1;
      from += 1;
      continue;
    }
    if (retry === undefined || retry.from >= path.length) return false;
    retry = { at: retry.at, from: retry.from + 1 };
    ({ at, from } = retry);
  }
}
