import { faultOf, foldName, isWithin, longestPath, type ResolvedPath } from "../paths/resolve-path.ts";
import type { PolicyRule } from "../policy.ts";
import { leadingNames, type PathPattern } from "../rules/path-pattern.ts";
import { type Segment, segmentFits } from "../rules/path-segment.ts";
import { copiedPaths, pathsOf } from "../shell/programs/file-operands.ts";
import { type OptionGrammar, readArguments } from "../shell/programs/program-options.ts";
import { type ReadFiles, readOnlyFiles } from "../shell/programs/read-only-commands.ts";
import { type CommandPart, type FilePart, type ShellWord, staticValue } from "../shell/shell-part.ts";
import { escapePattern } from "../shell/word-pieces.ts";
import { type Access, type Desk, isInside, isSpecial, rulesOn, shellRead, shellWrite } from "./judge-context.ts";
import { judgeNamed } from "./judge-file-names.ts";
import { anchorsOf, judgePath, judgeRestrictions, protectionFinding, ruleCovers } from "./judge-path.ts";
import { asked, byMode, type Finding, harmless, strictest, unusable } from "./judgement.ts";

const free = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin"]);

/** A redirection is a read or a write of its own, whatever the command before it may do. */
export function judgeRedirection(part: FilePart, desk: Desk): Finding {
  const access = part.kind === "write" ? shellWrite : shellRead;
  const text = staticValue(part.target);
  if (text !== undefined && free.has(text)) return harmless("it goes nowhere");
  const known = text ?? part.target.pieces[0];
  if (/^\/+dev\/+(tcp|udp)(\/|$)/.test(known)) {
    return asked(desk.mode, "analysis", "it opens a network connection; no rule allows that");
  }
  const fault = text === undefined ? undefined : faultOf(text);
  if (fault !== undefined) return unusable(fault);
  if (text === undefined || part.places.unknown) {
    const { expansions = [text === undefined ? undefined : escapePattern(text)], raw } = part.target;
    const named = expansions.map((pattern) => judgeNamed({ pattern, raw }, access, part.places, desk));
    const restricted = strictest(named);
    if (restricted) return restricted;
  }
  const { paths, sure } = pathsOf(part.target, part.places, desk.context.home);
  const findings = paths.map((path) => judgeFile(path, access, desk, sure));
  const unknown = byMode(
    desk.mode,
    access.writes ? "other" : "read-outside",
    `where ${part.target.raw} lies is not known beforehand`,
  );
  return strictest(sure && findings.length > 0 ? findings : [unknown, ...findings]) ?? unknown;
}

/** One file that a command reads or writes. When its place is not `sure` only what restricts it counts. */
export function judgeFile(path: string, access: Access, desk: Desk, sure: boolean): Finding {
  const key = `${access.writes ? "write" : "read"} ${sure} ${path}`;
  const found = desk.recall(key, () => {
    const resolved = path.length > longestPath ? undefined : desk.look(path);
    if (resolved === undefined) return asked(desk.mode, "analysis", "the command names more files than are looked at");
    return sure ? judgePath(resolved, access, desk) : judgeRestrictions(resolved, access, desk);
  });
  return found ?? harmless("nothing restricts it");
}

/** A command of the read-only table: its files are reads under Read rules and the mode. */
export function judgeReadOnly(part: CommandPart, desk: Desk): Finding | undefined {
  const head = part.words[0] && staticValue(part.words[0]);
  const read = head === "cd" ? changedFolder(part) : readOnlyFiles(part, desk.readOnly);
  if (read === undefined) return undefined;
  const findings = read.files.map((word) => judgeWord(word, part, desk));
  const below = read.deep ? read.files.map((word) => restrictedBelow(word, part, desk)) : [];
  const worst = strictest([...findings, ...below]);
  return worst === undefined || worst.decision === "allow" ? harmless("it only reads") : worst;
}

/** A search through a folder reads files that rules may restrict one by one. */
function restrictedBelow(word: ShellWord, part: CommandPart, desk: Desk): Finding | undefined {
  const { paths } = pathsOf(word, part.places, desk.context.home);
  for (const path of paths) {
    const folder = path.length > longestPath ? undefined : desk.look(path);
    const rule = folder && ruleBelow(folder, desk);
    if (rule) return asked(desk.mode, "rule", `a search below ${word.raw} may read what ${rule.text} restricts`, rule);
  }
  return undefined;
}

function changedFolder(part: CommandPart): ReadFiles | undefined {
  const operands = part.words.slice(1).filter((word) => !/^(-[LP]|--)$/.test(staticValue(word) ?? ""));
  const [target] = operands;
  if (target === undefined || operands.length > 1 || staticValue(target) === undefined) return undefined;
  return /^[-+]/.test(staticValue(target) ?? "") ? undefined : { files: operands, deep: false };
}

function judgeWord(word: ShellWord, part: CommandPart, desk: Desk): Finding {
  const { paths, sure } = pathsOf(word, part.places, desk.context.home);
  if (!sure) return byMode(desk.mode, "read-outside", `where ${word.raw} lies is not known`);
  return strictest(paths.map((path) => judgeFile(path, shellRead, desk, true))) ?? harmless("it only reads");
}

/** Not `cp -r`: what a folder holds is not looked at, and may be configuration. */
const editing: ReadonlyMap<string, OptionGrammar> = new Map([
  ["mkdir", { flags: "pv", long: ["--parents", "--verbose"] }],
  ["touch", { flags: "acm" }],
  ["cp", { flags: "finpuv", long: ["--force", "--no-clobber", "--verbose"] }],
  ["mv", { flags: "finuv", long: ["--force", "--no-clobber", "--verbose"] }],
]);

/**
 * `mkdir touch cp mv` with every operand known and inside: what acceptEdits lets pass. Beside other changes in the
 * same text a folder is not moved: a link in it would lead them elsewhere once it has moved.
 */
export function judgeEdits(part: CommandPart, alone: boolean, desk: Desk): Finding | undefined {
  const [name, ...args] = part.words;
  const head = (name && staticValue(name)) ?? "";
  const grammar = editing.get(head);
  const read = grammar && !part.openEnded ? readArguments(args, grammar, false) : undefined;
  if (read === undefined || read.operands.length === 0) return undefined;
  const looked = read.operands.map((word) => pathsOf(word, part.places, desk.context.home));
  const paths = [...looked.flatMap((operand) => operand.paths), ...copiedPaths(part, desk.context.home)];
  const inside = paths.every((path) => {
    const resolved = path.length > longestPath ? undefined : desk.look(path);
    if (resolved === undefined || !isInside(resolved, desk) || isSpecial(resolved)) return false;
    if (head === "mv" && !alone && resolved.kind === "folder") return false;
    return protectionFinding(resolved, desk) === undefined;
  });
  if (!inside || looked.some(({ sure }) => !sure)) return undefined;
  return byMode(desk.mode, "shell-write-inside", "no rule; it changes files inside the working directories");
}

/** A rule that restricts reading something that a search below a folder would read. */
function ruleBelow(folder: ResolvedPath, desk: Desk): PolicyRule | undefined {
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
