import { posix } from "node:path";
import { foldName, type ResolvedPath, segmentsOf } from "../paths/resolve-path.ts";
import { expandGlob, segmentsOverlap } from "../paths/shell-glob.ts";
import type { PolicyRule } from "../policy.ts";
import { couldCoverPath, leadingNames, type PathPattern } from "../rules/path-pattern.ts";
import { compileSegment, matchesSegment, type Segment } from "../rules/path-segment.ts";
import type { Places } from "../shell/shell-part.ts";
import { escapePattern, isPathPattern, someWord, unescapePattern } from "../shell/word-pieces.ts";
import type { Access, JudgeState } from "./judge-context.ts";
import { anchorsOf, denyRules, judgeRestrictions, protectionFinding, spelledAnchors } from "./judge-path.ts";
import { askedForTooManyFiles, deniedByRule, mayApply, type PartFinding, strictest } from "./judgement.ts";
import { askedForUnknownRead } from "./working-directories.ts";

/** A word that names files, and the access to them. */
interface NamedFiles {
  /** Undefined if the names are not known. */
  readonly pattern: string | undefined;
  readonly raw: string;
  readonly access: Access;
}

type KnownFiles = NamedFiles & { readonly pattern: string };

/** Judges the files that a word may name, in every folder in which the command may run. Only restrictions are reported. */
export function judgeNamedFiles(files: NamedFiles, places: Places, state: JudgeState): PartFinding | undefined {
  const { pattern, access } = files;
  if (pattern === undefined) return judgeUnknown(files, state);
  const known: KnownFiles = { ...files, pattern };
  const { folders: knownFolders, followed = [] } = places;
  const key = `glob ${access.writes} ${places.unknown} ${places.anyFolder} ${knownFolders.join(":")} ${followed.join(":")} ${pattern}`;
  return state.cachedFinding(key, () => {
    const folders = pattern.startsWith("/") ? ["/"] : knownFolders;
    const findings = folders.map((folder) => judgeInFolder(folder, known, state));
    // `*` may match the pid of the shell itself.
    if (/^\/+proc\/[^/]*[*?[].*\/cwd\//.test(pattern.replaceAll(someWord, "*")))
      findings.push(judgeUnknown(files, state));
    const anywhere = (places.unknown && !pattern.startsWith("/")) || pattern.startsWith("**/");
    return strictest([...findings, anywhere ? judgeInUnknownFolder(known, places, state) : undefined]);
  });
}

/** An unknown name may be any name: it needs a confirmation if a rule denies some. */
function judgeUnknown(files: NamedFiles, state: JudgeState): PartFinding | undefined {
  const [first] = denyRules(files.access, state);
  if (first === undefined) {
    const isBlocked = !files.access.writes && state.policy.boundary.reads;
    return isBlocked ? askedForUnknownRead(files, state) : undefined;
  }
  if (first.meaning.target.kind === "all") return deniedByRule(first, `${first.text} denies it`);
  return mayApply(first, `${files.raw} is not known beforehand`, state.mode);
}

function judgeInFolder(folder: string, files: KnownFiles, state: JudgeState): PartFinding | undefined {
  const { pattern, access } = files;
  if (pattern.includes(someWord))
    return judgePatternText(folder, { ...files, pattern: pattern.replaceAll(someWord, "*") }, state);
  const literal = posix.isAbsolute(pattern) ? unescapePattern(pattern) : `${folder}/${unescapePattern(pattern)}`;
  if (!isPathPattern(pattern)) return judgeOperandPath(literal, access, state);
  const paths = expandGlob(pattern, folder, state.fs, state.resolve);
  const found = strictest(paths.map((path) => judgeResolved(path, access, state)));
  if (found?.decision === "deny") return found;
  // If nothing matches, bash uses the pattern as a name. Writing creates the file; reading finds one that is named so, as `[id]/page.ts`.
  const isUsed = paths.length === 0 && (access.writes || state.resolveOperand(literal)?.kind !== "missing");
  const itself = isUsed ? judgeOperandPath(literal, access, state) : undefined;
  return strictest([found, itself, judgePatternText(folder, files, state)]);
}

/** Asks if a deny rule covers a path that the pattern could match, whether or not it exists. */
function judgePatternText(
  folder: string,
  { pattern, raw, access }: KnownFiles,
  state: JudgeState,
): PartFinding | undefined {
  const rule = denyRules(access, state).find((candidate) => couldName(candidate, pattern, folder, state));
  return rule && mayApply(rule, `${raw} can name what it denies`, state.mode);
}

function judgeOperandPath(path: string, access: Access, state: JudgeState): PartFinding | undefined {
  const resolved = state.resolveOperand(path);
  return resolved === undefined ? askedForTooManyFiles(state.mode) : judgeResolved(resolved, access, state);
}

function judgeResolved(path: ResolvedPath, access: Access, state: JudgeState): PartFinding | undefined {
  const found = judgeRestrictions(path, access, state);
  const guard = access.writes ? protectionFinding(path, state) : undefined;
  // In bypassPermissions protection is not a restriction.
  return strictest([found, guard?.stance === "ask" ? guard : undefined]);
}

/** Whether some path that the rule covers matches the pattern, judged by their texts. */
function couldName(rule: PolicyRule, pattern: string, folder: string, state: JudgeState): boolean {
  const { target } = rule.meaning;
  if (target.kind !== "path") return target.kind === "all";
  const from = state.resolve(folder);
  const folded = state.foldsCaseAt(from.resolved);
  const bases = new Set(spelledAnchors(target.pattern, rule, state));
  return [...new Set([from.written, from.resolved])].some((start) => {
    const segments = compileSegments(posix.isAbsolute(pattern) ? pattern : `${escapePattern(start)}/${pattern}`);
    return [...bases].some((anchor) => {
      const names = segmentsOf(folded ? foldName(anchor) : anchor);
      const below = names.every((name, index) => segments[index] && matchesSegment(segments[index], name, folded));
      return (
        below &&
        couldCoverPath(target.pattern, segments.slice(names.length), (wanted, glob) =>
          segmentsOverlap(wanted, glob, folded),
        )
      );
    });
  });
}

/**
 * Judges a pattern in an unknown folder. Asks if a deny rule on a file has a matching name, if a `cd` may lead anywhere and a rule
 * denies a whole folder, or if the file is denied in the working directory or at home, where `cd $x` leads with an empty `$x`.
 */
function judgeInUnknownFolder(
  files: KnownFiles,
  { followed = [""], anyFolder = false }: Places,
  state: JudgeState,
): PartFinding | undefined {
  const { pattern, raw, access } = files;
  const name = compileSegments(pattern).at(-1);
  const { cwd, home } = state.context;
  const folded = state.foldsCaseAt(cwd);
  const named = denyRules(access, state).find((rule) => {
    const { target } = rule.meaning;
    const last = target.kind === "path" ? target.pattern.segments.at(-1) : undefined;
    if (anyFolder && target.kind === "path" && isWholeFolder(target.pattern, rule, state)) return true;
    return name !== undefined && last !== undefined && last !== "**" && segmentsOverlap(last, name, folded);
  });
  const guesses = named ? [] : [cwd, home].flatMap((start) => followed.map((path) => posix.resolve(start, path)));
  const denying = guesses
    .map((folder) => judgeInFolder(folder, files, state))
    .find((finding) => finding?.stance === "deny");
  const rule = named ?? denying?.rule;
  return rule ? mayApply(rule, `where ${raw} is read is not known beforehand`, state.mode) : undefined;
}

/** Whether a rule covers everything in a folder: `x/**`, or `x` if that is a folder on disk. */
function isWholeFolder(pattern: PathPattern, rule: PolicyRule, state: JudgeState): boolean {
  if (pattern.segments.at(-1) === "**") return true;
  const names = leadingNames(pattern);
  if (names.length < pattern.segments.length) return false;
  return anchorsOf(pattern, rule, state).some(
    (anchor) => state.resolve(posix.join(anchor, ...names)).kind === "folder",
  );
}

function compileSegments(pattern: string): Segment[] {
  const segments: string[] = [];
  for (const segment of segmentsOf(pattern)) {
    if (segment === "..") segments.pop();
    else if (segment !== ".") segments.push(segment);
  }
  return segments.map((segment) => compileSegment(segment, "bash"));
}
