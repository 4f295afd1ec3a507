import { isWithin } from "../paths/contain.ts";
import { foldName } from "../paths/fold.ts";
import type { ResolvedPath } from "../paths/resolve-path.ts";
import type { PolicyRule } from "../policy.ts";
import { leadingNames, type PathPattern } from "../rules/path-pattern.ts";
import { type Segment, segmentFits } from "../rules/path-segment.ts";
import type { Desk } from "./judge-context.ts";
import { anchorsOf, ruleCovers } from "./judge-path.ts";
import { shellRead } from "./judge-shell-files.ts";
import { rulesOn } from "./rules-on.ts";

/** A rule that restricts reading something that a search below a folder would read. */
export function ruleBelow(folder: ResolvedPath, desk: Desk): PolicyRule | undefined {
  if (folder.kind === "file") return undefined;
  const { deny, ask } = rulesOn(["Read"], desk.policy);
  return [...deny, ...ask].find((rule) => restrictsBelow(rule, folder, desk));
}

function restrictsBelow(rule: PolicyRule, folder: ResolvedPath, desk: Desk): boolean {
  const { target } = rule.meaning;
  if (target.kind !== "path") return false;
  const { pattern } = target;
  const anywhere = pattern.floats || pattern.single;
  const meets = anchorsOf(pattern, rule, desk).some((from) => {
    const anchor = desk.resolve(from).resolved;
    const base = foldName(anywhere ? anchor : [anchor, ...leadingNames(pattern)].join("/"));
    const searched = foldName(folder.resolved);
    return isWithin(base, searched) || isWithin(searched, base);
  });
  return meets && (!anywhere || holdsName(folder.resolved, rule, pattern, desk));
}

const mostNames = 2_000;

/**
 * Whether a name that the pattern needs lies below a folder. True as well where not all of it is looked at: too many names, a folder
 * that cannot be read, a link that leads to another folder.
 */
function holdsName(folder: string, rule: PolicyRule, pattern: PathPattern, desk: Desk): boolean {
  const wanted = pattern.segments.find((segment): segment is Segment => segment !== "**");
  if (wanted === undefined || ruleCovers(rule, desk.resolve(folder), shellRead, desk)) return true;
  const folded = desk.folds(folder);
  const folders = [folder];
  let left = mostNames;
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const entries = desk.fs.list?.(at);
    left -= entries?.length ?? 0;
    if (entries === undefined || left < 0) return true;
    for (const { name, kind } of entries) {
      const path = `${at}/${name}`;
      if (segmentFits(wanted, folded ? foldName(name) : name, folded)) return true;
      if (kind === "folder") folders.push(path);
      if (kind !== "link") continue;
      const target = desk.resolve(path);
      if (target.kind === "folder" || ruleCovers(rule, target, shellRead, desk)) return true;
    }
  }
  return false;
}
