import { foldName, isWithin, maxPathLength, pathFault, type ResolvedPath } from "../paths/resolve-path.ts";
import type { PolicyRule } from "../policy.ts";
import { leadingNames, type PathPattern } from "../rules/path-pattern.ts";
import { type Segment, segmentFits } from "../rules/path-segment.ts";
import { copiedPaths, pathsOf } from "../shell/programs/file-operands.ts";
import { type OptionGrammar, readProgramArguments } from "../shell/programs/program-options.ts";
import { type ReadFiles, readOnlyFiles } from "../shell/programs/read-only-commands.ts";
import { type CommandPart, type FilePart, headOf, type ShellWord, staticValue } from "../shell/shell-part.ts";
import { escapePattern } from "../shell/word-pieces.ts";
import { type Access, isInside, isSpecial, type JudgeState, rulesOn, shellRead, shellWrite } from "./judge-context.ts";
import { judgeNamed } from "./judge-file-names.ts";
import { anchorsOf, judgePath, judgeRestrictions, protectionFinding, ruleCovers } from "./judge-path.ts";
import { allowedAsHarmless, askedBy, modeDecides, type PartFinding, strictest, unusableInput } from "./judgement.ts";

const free = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin"]);

/** A redirection is a read or a write of its own, whatever the command before it may do. */
export function judgeRedirection(part: FilePart, state: JudgeState): PartFinding {
  const access = part.kind === "write" ? shellWrite : shellRead;
  const text = staticValue(part.target);
  if (text !== undefined && free.has(text)) return allowedAsHarmless("it goes nowhere");
  const known = text ?? part.target.pieces[0];
  if (/^\/+dev\/+(tcp|udp)(\/|$)/.test(known)) {
    return askedBy(state.mode, "analysis", "it opens a network connection; no rule allows that");
  }
  const fault = text === undefined ? undefined : pathFault(text);
  if (fault !== undefined) return unusableInput(fault);
  if (text === undefined || part.places.unknown) {
    const { expansions = [text === undefined ? undefined : escapePattern(text)], raw } = part.target;
    const named = expansions.map((pattern) => judgeNamed({ pattern, raw }, access, part.places, state));
    const restricted = strictest(named);
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

/** One file that a command reads or writes. When its place is not `sure` only what restricts it counts. */
export function judgeFile(path: string, access: Access, state: JudgeState, sure: boolean): PartFinding {
  const key = `${access.writes ? "write" : "read"} ${sure} ${path}`;
  const found = state.recall(key, () => {
    const resolved = path.length > maxPathLength ? undefined : state.look(path);
    if (resolved === undefined)
      return askedBy(state.mode, "analysis", "the command names more files than are looked at");
    return sure ? judgePath(resolved, access, state) : judgeRestrictions(resolved, access, state);
  });
  return found ?? allowedAsHarmless("nothing restricts it");
}

/** A command of the read-only table: its files are reads under Read rules and the mode. */
export function judgeReadOnly(part: CommandPart, state: JudgeState): PartFinding | undefined {
  const head = headOf(part);
  const read = head === "cd" ? changedFolder(part) : readOnlyFiles(part);
  if (read === undefined) return undefined;
  const findings = read.files.map((word) => judgeWord(word, part, state));
  const below = read.deep ? read.files.map((word) => restrictedBelow(word, part, state)) : [];
  const worst = strictest([...findings, ...below]);
  return worst === undefined || worst.decision === "allow" ? allowedAsHarmless("it only reads") : worst;
}

/** A search through a folder reads files that rules may restrict one by one. */
function restrictedBelow(word: ShellWord, part: CommandPart, state: JudgeState): PartFinding | undefined {
  const { paths } = pathsOf(word, part.places, state.context.home);
  for (const path of paths) {
    const folder = path.length > maxPathLength ? undefined : state.look(path);
    const rule = folder && ruleBelow(folder, state);
    if (rule)
      return askedBy(state.mode, "rule", `a search below ${word.raw} may read what ${rule.text} restricts`, rule);
  }
  return undefined;
}

function changedFolder(part: CommandPart): ReadFiles | undefined {
  const operands = part.words.slice(1).filter((word) => !/^(-[LP]|--)$/.test(staticValue(word) ?? ""));
  const [target] = operands;
  if (target === undefined || operands.length > 1 || staticValue(target) === undefined) return undefined;
  return /^[-+]/.test(staticValue(target) ?? "") ? undefined : { files: operands, deep: false };
}

function judgeWord(word: ShellWord, part: CommandPart, state: JudgeState): PartFinding {
  const { paths, sure } = pathsOf(word, part.places, state.context.home);
  if (!sure) return modeDecides(state.mode, "read-outside", `where ${word.raw} is, is not known`);
  return strictest(paths.map((path) => judgeFile(path, shellRead, state, true))) ?? allowedAsHarmless("it only reads");
}

/** Not `cp -r`: what a folder holds is not looked at, and may be configuration. */
const editing: ReadonlyMap<string, OptionGrammar> = new Map([
  ["mkdir", { flags: "pv", long: ["--parents", "--verbose"] }],
  ["touch", { flags: "acm" }],
  ["cp", { flags: "finpuv", long: ["--force", "--no-clobber", "--verbose"] }],
  ["mv", { flags: "finuv", long: ["--force", "--no-clobber", "--verbose"] }],
]);

/**
 * `mkdir touch cp mv` with every operand known and inside: what acceptEdits allows. Next to other changes in the
 * same text a folder is not moved: a link in it would lead them elsewhere once it has moved.
 */
export function judgeEdits(part: CommandPart, alone: boolean, state: JudgeState): PartFinding | undefined {
  const [name, ...args] = part.words;
  const head = (name && staticValue(name)) ?? "";
  const grammar = editing.get(head);
  const read = grammar && !part.openEnded ? readProgramArguments(args, grammar, false) : undefined;
  if (read === undefined || read.operands.length === 0) return undefined;
  const looked = read.operands.map((word) => pathsOf(word, part.places, state.context.home));
  const paths = [...looked.flatMap((operand) => operand.paths), ...copiedPaths(part, state.context.home)];
  const inside = paths.every((path) => {
    const resolved = path.length > maxPathLength ? undefined : state.look(path);
    if (resolved === undefined || !isInside(resolved, state) || isSpecial(resolved)) return false;
    if (head === "mv" && !alone && resolved.kind === "folder") return false;
    return protectionFinding(resolved, state) === undefined;
  });
  if (!inside || looked.some(({ sure }) => !sure)) return undefined;
  return modeDecides(state.mode, "shell-write-inside", "no rule; it changes files inside the working directories");
}

/** A rule that restricts reading something that a search below a folder would read. */
function ruleBelow(folder: ResolvedPath, state: JudgeState): PolicyRule | undefined {
  if (folder.kind === "file") return undefined;
  const { deny, ask } = rulesOn(["Read"], state.policy);
  return [...deny, ...ask].find((rule) => restrictsBelow(rule, folder, state));
}

function restrictsBelow(rule: PolicyRule, folder: ResolvedPath, state: JudgeState): boolean {
  const { target } = rule.meaning;
  if (target.kind !== "path") return false;
  const { pattern } = target;
  const anywhere = pattern.floats || pattern.single;
  const meets = anchorsOf(pattern, rule, state).some((from) => {
    const anchor = state.resolve(from).resolved;
    const base = foldName(anywhere ? anchor : [anchor, ...leadingNames(pattern)].join("/"));
    const searched = foldName(folder.resolved);
    return isWithin(base, searched) || isWithin(searched, base);
  });
  return meets && (!anywhere || holdsName(folder.resolved, rule, pattern, state));
}

const maxNames = 2_000;

/**
 * Whether a name that the pattern needs exists below a folder. Also true where not all of it is searched: too many names, a folder
 * that cannot be read, a link that leads to another folder.
 */
function holdsName(folder: string, rule: PolicyRule, pattern: PathPattern, state: JudgeState): boolean {
  const wanted = pattern.segments.find((segment): segment is Segment => segment !== "**");
  if (wanted === undefined || ruleCovers(rule, state.resolve(folder), shellRead, state)) return true;
  const folded = state.folds(folder);
  const folders = [folder];
  let left = maxNames;
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const entries = state.fs.list?.(at);
    left -= entries?.length ?? 0;
    if (entries === undefined || left < 0) return true;
    for (const { name, kind } of entries) {
      const path = `${at}/${name}`;
      if (segmentFits(wanted, folded ? foldName(name) : name, folded)) return true;
      if (kind === "folder") folders.push(path);
      if (kind !== "link") continue;
      const target = state.resolve(path);
      if (target.kind === "folder" || ruleCovers(rule, target, shellRead, state)) return true;
    }
  }
  return false;
}
