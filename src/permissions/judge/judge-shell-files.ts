import { foldName, isWithin, maxPathLength, pathFault, type ResolvedPath } from "../paths/resolve-path.ts";
import type { PolicyRule } from "../policy.ts";
import { leadingNames, type PathPattern } from "../rules/path-pattern.ts";
import { matchesSegment, type Segment } from "../rules/path-segment.ts";
import { copiedPaths, pathsOf } from "../shell/programs/file-operands.ts";
import { type OptionGrammar, readProgramArguments } from "../shell/programs/program-options.ts";
import { type ReadFiles, readOnlyFiles } from "../shell/programs/read-only-commands.ts";
import { type CommandPart, type FilePart, headOf, type ShellWord, staticValue } from "../shell/shell-part.ts";
import { patternsOf } from "../shell/word-pieces.ts";
import {
  type Access,
  isInWorkingDirectory,
  isSpecial,
  type JudgeState,
  rulesOn,
  shellRead,
  shellWrite,
  standardStreams,
} from "./judge-context.ts";
import { judgeNamedFiles } from "./judge-file-names.ts";
import { anchorsOf, judgePath, judgeRestrictions, protectionFinding, ruleCovers } from "./judge-path.ts";
import {
  allowedAsHarmless,
  askedBy,
  askedForTooManyFiles,
  modeDecides,
  type PartFinding,
  strictest,
  unusableInput,
} from "./judgement.ts";

/** Judges a redirection: a read or a write in addition to those of its command. */
export function judgeRedirection(part: FilePart, state: JudgeState): PartFinding {
  const access = part.kind === "write" ? shellWrite : shellRead;
  const text = staticValue(part.target);
  if (text !== undefined && standardStreams.test(text)) return allowedAsHarmless("it goes nowhere");
  if (/^\/+dev\/+(tcp|udp)(\/|$)/.test(text ?? part.target.pieces[0])) {
    return askedBy(state.mode, "analysis", "it opens a network connection; no rule allows that");
  }
  const fault = text === undefined ? undefined : pathFault(text);
  if (fault !== undefined) return unusableInput(fault);
  if (text === undefined || part.places.unknown) {
    const { raw } = part.target;
    const patterns = patternsOf(part.target) ?? [undefined];
    const restricted = strictest(
      patterns.map((pattern) => judgeNamedFiles({ pattern, raw, access }, part.places, state)),
    );
    if (restricted) return restricted;
  }
  const { paths, sure } = pathsOf(part.target, part.places, state.context.home);
  const findings = paths.map((path) => judgeFile(path, access, state, sure));
  const unknown = modeDecides(
    state.mode,
    access.writes ? "other" : "read-outside",
    `where ${part.target.raw} is, is not known beforehand`,
  );
  return strictest(sure && findings.length > 0 ? findings : [unknown, ...findings]) ?? unknown;
}

/** Judges one file that a command reads or writes. If it is not `sure` that the command uses this file, only restrictions apply. */
export function judgeFile(path: string, access: Access, state: JudgeState, sure: boolean): PartFinding {
  const key = `${access.writes ? "write" : "read"} ${sure} ${path}`;
  const found = state.cachedFinding(key, () => {
    const resolved = path.length > maxPathLength ? undefined : state.resolveOperand(path);
    if (resolved === undefined) return askedForTooManyFiles(state.mode);
    return sure ? judgePath(resolved, access, state) : judgeRestrictions(resolved, access, state);
  });
  return found ?? allowedAsHarmless("nothing restricts it");
}

/** Judges a command of the read-only table: each of its files is a read under Read rules and the mode. */
export function judgeReadOnly(part: CommandPart, state: JudgeState): PartFinding | undefined {
  const head = headOf(part);
  const read = head === "cd" ? folderOfCd(part) : readOnlyFiles(part);
  if (read === undefined) return undefined;
  const findings = read.files.map((word) => judgeReadWord(word, part, state));
  const below = read.deep ? read.files.map((word) => restrictedBelow(word, part, state)) : [];
  const strictestFinding = strictest([...findings, ...below]);
  return strictestFinding === undefined || strictestFinding.decision === "allow"
    ? allowedAsHarmless("it only reads")
    : strictestFinding;
}

/** A recursive search may read files that rules restrict. */
function restrictedBelow(word: ShellWord, part: CommandPart, state: JudgeState): PartFinding | undefined {
  const { paths } = pathsOf(word, part.places, state.context.home);
  for (const path of paths) {
    const folder = path.length > maxPathLength ? undefined : state.resolveOperand(path);
    const rule = folder && ruleBelow(folder, state);
    if (rule)
      return askedBy(state.mode, "rule", `a search below ${word.raw} may read what ${rule.text} restricts`, rule);
  }
  return undefined;
}

function folderOfCd(part: CommandPart): ReadFiles | undefined {
  const operands = part.words.slice(1).filter((word) => !/^(-[LP]|--)$/.test(staticValue(word) ?? ""));
  const [target] = operands;
  if (target === undefined || operands.length > 1 || staticValue(target) === undefined) return undefined;
  return /^[-+]/.test(staticValue(target) ?? "") ? undefined : { files: operands, deep: false };
}

function judgeReadWord(word: ShellWord, part: CommandPart, state: JudgeState): PartFinding {
  const { paths, sure } = pathsOf(word, part.places, state.context.home);
  if (!sure) return modeDecides(state.mode, "read-outside", `where ${word.raw} is, is not known`);
  return strictest(paths.map((path) => judgeFile(path, shellRead, state, true))) ?? allowedAsHarmless("it only reads");
}

/** Not `cp -r`: the content of a folder is not examined and may be configuration. */
const editCommands: ReadonlyMap<string, OptionGrammar> = new Map([
  ["mkdir", { usage: "-pv --parents --verbose" }],
  ["touch", { usage: "-acm" }],
  ["cp", { usage: "-finpuv --force --no-clobber --verbose" }],
  ["mv", { usage: "-finuv --force --no-clobber --verbose" }],
]);

/**
 * `mkdir touch cp mv` with every operand known and inside: acceptEdits allows these. Moving a folder must be the only change in the
 * text: relative links in the moved folder could redirect other writes.
 */
export function judgeEdits(part: CommandPart, isOnlyChange: boolean, state: JudgeState): PartFinding | undefined {
  const head = headOf(part) ?? "";
  const grammar = editCommands.get(head);
  const read = grammar && !part.openEnded ? readProgramArguments(part.words.slice(1), grammar, false) : undefined;
  if (read === undefined || read.operands.length === 0) return undefined;
  const operandPaths = read.operands.map((word) => pathsOf(word, part.places, state.context.home));
  const paths = [...operandPaths.flatMap((operand) => operand.paths), ...copiedPaths(part, state.context.home)];
  const inside = paths.every((path) => {
    const resolved = path.length > maxPathLength ? undefined : state.resolveOperand(path);
    if (resolved === undefined || !isInWorkingDirectory(resolved, state) || isSpecial(resolved)) return false;
    if (head === "mv" && !isOnlyChange && resolved.kind === "folder") return false;
    return protectionFinding(resolved, state) === undefined;
  });
  if (!inside || operandPaths.some(({ sure }) => !sure)) return undefined;
  return modeDecides(state.mode, "shell-write-inside", "no rule; it changes files inside the working directories");
}

/** A rule that restricts a file which a search below the folder would read. */
function ruleBelow(folder: ResolvedPath, state: JudgeState): PolicyRule | undefined {
  if (folder.kind === "file") return undefined;
  const { deny, ask } = rulesOn(["Read"], state.policy);
  return [...deny, ...ask].find((rule) => restrictsBelow(rule, folder, state));
}

function restrictsBelow(rule: PolicyRule, folder: ResolvedPath, state: JudgeState): boolean {
  const { target } = rule.meaning;
  if (target.kind !== "path") return false;
  const { pattern } = target;
  const isAtAnyDepth = pattern.floats || pattern.single;
  const overlaps = anchorsOf(pattern, rule, state).some((from) => {
    const anchor = state.resolve(from).resolved;
    const base = foldName(isAtAnyDepth ? anchor : [anchor, ...leadingNames(pattern)].join("/"));
    const searched = foldName(folder.resolved);
    return isWithin(base, searched) || isWithin(searched, base);
  });
  return overlaps && (!isAtAnyDepth || holdsName(folder.resolved, rule, pattern, state));
}

const maxNames = 2_000;

/**
 * Whether a name that the pattern requires exists below a folder. Also true if the search is incomplete: too many names, an unreadable
 * folder, or a link to another folder.
 */
function holdsName(folder: string, rule: PolicyRule, pattern: PathPattern, state: JudgeState): boolean {
  const neededSegment = pattern.segments.find((segment): segment is Segment => segment !== "**");
  if (neededSegment === undefined || ruleCovers(rule, state.resolve(folder), shellRead, state)) return true;
  const folded = state.foldsCaseAt(folder);
  const folders = [folder];
  let left = maxNames;
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const entries = state.fs.list?.(at);
    left -= entries?.length ?? 0;
    if (entries === undefined || left < 0) return true;
    for (const { name, kind } of entries) {
      const path = `${at}/${name}`;
      if (matchesSegment(neededSegment, folded ? foldName(name) : name, folded)) return true;
      if (kind === "folder") folders.push(path);
      if (kind !== "link") continue;
      const target = state.resolve(path);
      if (target.kind === "folder" || ruleCovers(rule, target, shellRead, state)) return true;
    }
  }
  return false;
}
