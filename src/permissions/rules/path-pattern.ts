import { compileSegment, matchesSegment, matchesWithRuns, type Segment } from "./path-segment.ts";
import type { Invalid } from "./rule.ts";

/** What a path pattern is relative to: the root of the file system, home, the folder of the rule's source, or the working directory. */
export type PathAnchor = "root" | "home" | "source" | "cwd";

/** A compiled path rule: segments below an anchor. A pattern that names a folder covers everything in it. */
export interface PathPattern {
  readonly anchor: PathAnchor;
  /** `"**"` matches any number of segments. */
  readonly segments: readonly (Segment | "**")[];
  /** `x/y` and `x`, but not `./x`: matches at any depth in deny and ask. */
  readonly floats: boolean;
  /** One name below the working directory: `./x`, `./x/` or `./x/**`. Matches at any depth in deny and ask, as in Claude Code. */
  readonly single: boolean;
  /** A name without `/`: matches at any depth in every list. */
  readonly name: boolean;
}

const maxNameLength = 255;

export function compilePath(spec: string): PathPattern | Invalid {
  if (spec.startsWith("!")) return { invalid: "a path pattern cannot be negated; use the other list" };
  const { anchor, rest } = splitAnchor(spec);
  const inner = rest.replace(/\/+$/, "");
  const segments: (Segment | "**")[] = [];
  for (const text of inner.split("/")) {
    if (text === "" || text === ".") continue;
    if (text === "..") {
      return { invalid: "a path pattern must not contain ..; write the folder with // from the root or ~/ from home" };
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
    single: anchor === "cwd" && withoutTrailingRun(segments).length === 1,
    name: floats && segments.length === 1 && segments[0] !== "**" && !spec.includes("/"),
  };
}

export interface PathMatchOptions {
  /** A pattern without an anchor matches at any depth, as in deny, ask and conditions. */
  readonly anyDepth: boolean;
  /** Compare with case and Unicode form folded. The segments of the path must already be folded. */
  readonly folded: boolean;
  /** `src/**` also covers the folder `src` itself, because a search in it reads everything there. */
  readonly folderItself: boolean;
}

/** Whether the pattern covers a path. `below` is its segments below the anchor. */
export function coversPath(pattern: PathPattern, below: readonly string[], options: PathMatchOptions): boolean {
  const { anyDepth, folded, folderItself } = options;
  const segments = folderItself ? withoutTrailingRun(pattern.segments) : pattern.segments;
  const isAtAnyDepth = pattern.name || (anyDepth && (pattern.floats || pattern.single));
  return matchesPrefix(isAtAnyDepth ? ["**", ...segments] : segments, below, (segment, name) =>
    matchesSegment(segment, name, folded),
  );
}

/**
 * Whether the pattern covers some path that a glob can match, or a path in such a folder. `below` is the glob's segments below the
 * anchor; `overlaps` compares two segments.
 */
export function couldCoverPath(
  pattern: PathPattern,
  below: readonly Segment[],
  overlaps: (rule: Segment, glob: Segment) => boolean,
): boolean {
  const named = withoutTrailingRun(pattern.segments);
  return (
    named.length === 0 || matchesPrefix(pattern.floats || pattern.single ? ["**", ...named] : named, below, overlaps)
  );
}

/** Whether the pattern matches the path or a folder above it. A run at its end needs at least one more segment. */
function matchesPrefix<Item>(
  pattern: PathPattern["segments"],
  path: readonly Item[],
  fits: (segment: Segment, item: Item) => boolean,
): boolean {
  const matches = (segments: PathPattern["segments"], items: readonly Item[]) =>
    matchesWithRuns(
      segments,
      items,
      (segment) => segment === "**",
      (segment, item) => segment !== "**" && fits(segment, item),
    );
  if (pattern.at(-1) !== "**") return matches([...pattern, "**"], path);
  return path.length > 0 && matches(pattern, path.slice(0, -1));
}

function withoutTrailingRun(segments: PathPattern["segments"]): PathPattern["segments"] {
  return segments.at(-1) === "**" ? segments.slice(0, -1) : segments;
}

/** The literal segments at the start of a pattern. */
export function leadingNames(pattern: PathPattern): string[] {
  const names: string[] = [];
  for (const segment of pattern.segments) {
    if (segment === "**" || segment.literal === undefined) break;
    names.push(segment.literal);
  }
  return names;
}

/** The segments that are names or patterns of names: a path that the pattern covers contains a matching name for each. */
export function requiredNames(pattern: PathPattern): Segment[] {
  return pattern.segments.filter((segment) => segment !== "**");
}

function splitAnchor(spec: string): { anchor: PathAnchor; rest: string } {
  if (spec.startsWith("//")) return { anchor: "root", rest: spec.slice(2) };
  if (spec.startsWith("/")) return { anchor: "source", rest: spec.slice(1) };
  if (spec === "~" || spec.startsWith("~/")) return { anchor: "home", rest: spec.slice(2) };
  return { anchor: "cwd", rest: spec };
}
