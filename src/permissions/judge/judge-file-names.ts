import { posix } from "node:path";
import { foldName, segmentsOf } from "../paths/resolve-path.ts";
import { expandGlob, segmentsOverlap } from "../paths/shell-glob.ts";
import type { PolicyRule } from "../policy.ts";
import { couldCoverPath, leadingNames, type PathPattern } from "../rules/path-pattern.ts";
import { compileSegment, type Segment, segmentFits } from "../rules/path-segment.ts";
import type { Places } from "../shell/shell-part.ts";
import { escapePattern, isPathPattern, someWord, unescapePattern } from "../shell/word-pieces.ts";
import type { Access, JudgeState } from "./judge-context.ts";
import { anchorsOf, denyRules, judgeRestrictions, protectionFinding, spelledAnchors } from "./judge-path.ts";
import { askedBy, deniedByRule, type PartFinding, strictest } from "./judgement.ts";

/** A word that names files: its patterns, or undefined where they are not known; and as it is written. */
export interface NamedFiles {
  readonly pattern: string | undefined;
  readonly raw: string;
}

/** What restricts the files that a word may name, in the folders where it may be read. */
export function judgeNamed(
  { pattern, raw }: NamedFiles,
  access: Access,
  places: Places,
  state: JudgeState,
): PartFinding | undefined {
  if (pattern === undefined) return judgeUnknown(raw, access, state);
  const { folders: known, followed = [] } = places;
  const key = `glob ${access.writes} ${places.unknown} ${places.anyFolder} ${known.join(":")} ${followed.join(":")} ${pattern}`;
  return state.recall(key, () => {
    const folders = pattern.startsWith("/") ? ["/"] : known;
    const findings = folders.map((folder) => judgeIn(folder, pattern, raw, access, state));
    // Here `*` may stand for the number of the shell itself.
    if (/^\/+proc\/[^/]*[*?[].*\/cwd\//.test(pattern.replaceAll(someWord, "*")))
      findings.push(judgeUnknown(raw, access, state));
    const anywhere = (places.unknown && !pattern.startsWith("/")) || pattern.startsWith("**/");
    return strictest([...findings, anywhere ? judgeAnywhere(pattern, raw, access, places, state) : undefined]);
  });
}

/** A name that is not known beforehand may be any: where a rule denies some, the question is asked. */
function judgeUnknown(raw: string, access: Access, state: JudgeState): PartFinding | undefined {
  const [first] = denyRules(access, state);
  if (first === undefined) {
    const blocked = !access.writes && state.policy.boundary.reads;
    const why = `${raw} is not known beforehand, and permissions.blockReadsOutsideWorkingDirectories is set`;
    return blocked ? askedBy(state.mode, "rule", why) : undefined;
  }
  if (first.meaning.target.kind === "all") return deniedByRule(first, `${first.text} denies it`);
  return askedBy(state.mode, "rule", `${first.text} may apply: ${raw} is not known beforehand`, first);
}

function judgeIn(
  folder: string,
  pattern: string,
  raw: string,
  access: Access,
  state: JudgeState,
): PartFinding | undefined {
  if (pattern.includes(someWord)) return judgeText(folder, pattern.replaceAll(someWord, "*"), raw, access, state);
  const literal = posix.isAbsolute(pattern) ? unescapePattern(pattern) : `${folder}/${unescapePattern(pattern)}`;
  if (!isPathPattern(pattern)) return judgeLooked(literal, access, state);
  const paths = expandGlob(pattern, folder, state.fs, state.resolve);
  const found = strictest(paths.map((path) => judgeOne(path, access, state)));
  if (found?.decision === "deny") return found;
  // Where nothing fits, bash takes the pattern for a name: nothing to read, but a file to make.
  const itself = paths.length === 0 && access.writes ? judgeLooked(literal, access, state) : undefined;
  return strictest([found, itself, judgeText(folder, pattern, raw, access, state)]);
}

/** A rule whose path the pattern could name, whatever is on disk. */
function judgeText(
  folder: string,
  pattern: string,
  raw: string,
  access: Access,
  state: JudgeState,
): PartFinding | undefined {
  const rule = denyRules(access, state).find((candidate) => couldName(candidate, pattern, folder, state));
  return rule && askedBy(state.mode, "rule", `${rule.text} may apply: ${raw} can name what it denies`, rule);
}

function judgeLooked(path: string, access: Access, state: JudgeState): PartFinding | undefined {
  const resolved = state.look(path);
  return resolved === undefined
    ? askedBy(state.mode, "analysis", "the command names more files than are looked at")
    : judgeOne(resolved, access, state);
}

function judgeOne(
  path: Parameters<typeof judgeRestrictions>[0],
  access: Access,
  state: JudgeState,
): PartFinding | undefined {
  const found = judgeRestrictions(path, access, state);
  const guard = access.writes ? protectionFinding(path, state) : undefined;
  // Where the mode lets protected files pass, there is nothing to say about an operand.
  return strictest([found, guard?.stance === "ask" ? guard : undefined]);
}

/** Whether a path that a rule covers fits the pattern, judged by their texts. */
function couldName(rule: PolicyRule, pattern: string, folder: string, state: JudgeState): boolean {
  const { target } = rule.meaning;
  if (target.kind !== "path") return target.kind === "all";
  const from = state.resolve(folder);
  const folded = state.folds(from.resolved);
  const bases = new Set(spelledAnchors(target.pattern, rule, state));
  return [...new Set([from.written, from.resolved])].some((start) => {
    const segments = segmentsIn(posix.isAbsolute(pattern) ? pattern : `${escapePattern(start)}/${pattern}`);
    return [...bases].some((anchor) => {
      const names = segmentsOf(folded ? foldName(anchor) : anchor);
      const below = names.every((name, index) => segments[index] && segmentFits(segments[index], name, folded));
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
 * In a folder that is not known: a rule that names a file counts if the name fits, a rule on a whole folder where a `cd` may lead
 * anywhere, and so does what is denied right here or at home, where `cd $x` leads when `$x` is empty.
 */
function judgeAnywhere(
  pattern: string,
  raw: string,
  access: Access,
  { followed = [""], anyFolder = false }: Places,
  state: JudgeState,
): PartFinding | undefined {
  const name = segmentsIn(pattern).at(-1);
  const { cwd, home } = state.context;
  const folded = state.folds(cwd);
  const named = denyRules(access, state).find((rule) => {
    const { target } = rule.meaning;
    const last = target.kind === "path" ? target.pattern.segments.at(-1) : undefined;
    if (anyFolder && target.kind === "path" && isWholeFolder(target.pattern, rule, state)) return true;
    return name !== undefined && last !== undefined && last !== "**" && segmentsOverlap(last, name, folded);
  });
  const guesses = named ? [] : [cwd, home].flatMap((start) => followed.map((path) => posix.resolve(start, path)));
  const denying = guesses
    .map((folder) => judgeIn(folder, pattern, raw, access, state))
    .find((finding) => finding?.stance === "deny");
  const rule = named ?? denying?.rule;
  if (!rule) return undefined;
  return askedBy(state.mode, "rule", `${rule.text} may apply: where ${raw} is read is not known beforehand`, rule);
}

/** Whether a rule covers all that is in a folder: `x/**`, or `x` where that is a folder on disk. */
function isWholeFolder(pattern: PathPattern, rule: PolicyRule, state: JudgeState): boolean {
  if (pattern.segments.at(-1) === "**") return true;
  const names = leadingNames(pattern);
  if (names.length < pattern.segments.length) return false;
  return anchorsOf(pattern, rule, state).some(
    (anchor) => state.resolve(posix.join(anchor, ...names)).kind === "folder",
  );
}

function segmentsIn(pattern: string): Segment[] {
  const segments: string[] = [];
  for (const segment of segmentsOf(pattern)) {
    if (segment === "..") segments.pop();
    else if (segment !== ".") segments.push(segment);
  }
  return segments.map((segment) => compileSegment(segment, "bash"));
}
