import { longestPath } from "../paths/resolve.ts";
import type { PolicyRule } from "../policy.ts";
import { copiedNames, fileOperands, pathsOf } from "../shell/file-operands.ts";
import { type OptionGrammar, readArguments } from "../shell/options.ts";
import { type CommandPart, type ShellWord, staticValue } from "../shell/part.ts";
import { type ReadFiles, readOnlyFiles } from "../shell/read-only.ts";
import { criticalRemoval } from "../shell/removal.ts";
import { type CommandTexts, isCovered, meets, textsOf } from "../shell/text.ts";
import type { Desk } from "./desk.ts";
import { allowed, asked, byMode, denied, type Finding, harmless, strictest } from "./finding.ts";
import { type Access, isInside, isSpecial, judgeRestrictions, protectionFinding, ruleBelow } from "./path.ts";
import { judgeFile, shellRead, shellWrite } from "./redirection.ts";
import type { RulesOn } from "./rules-on.ts";

/** What the text as a whole means for each command in it. */
export interface WholeText {
  /** A name it sets that may change what any of its commands do. */
  readonly tainted?: string;
  /** Whether one part at most changes files. */
  readonly alone: boolean;
}

/** One command of a text. */
export function judgeCommand(part: CommandPart, text: WholeText, rules: RulesOn, desk: Desk): Finding {
  const { mode } = desk;
  const texts = textsOf(part);
  const firm = strictest([judgeRules(texts, rules, desk), judgeRemoval(part, desk), judgeOperands(part, desk)]);
  if (firm) return firm;
  if (staticValue(part.words[0] ?? unknownWord) === undefined)
    return byMode(mode, "other", "which program runs is not known beforehand");
  if (text.tainted !== undefined) {
    return byMode(mode, "other", `the command sets ${text.tainted}; no rule allows anything beside that`);
  }
  if (entersRepository(part, desk))
    return byMode(mode, "other", "git in another folder runs what that folder's configuration names");
  const rule = coveringRule(part, texts, rules.allow);
  if (rule) return allowed(rule);
  if (part.opaque !== undefined) return byMode(mode, "other", `${part.opaque}; only an exact rule can allow it`);
  return judgeReadOnly(part, desk) ?? judgeEdits(part, text.alone, desk) ?? byMode(mode, "other", "no rule");
}

function judgeRemoval(part: CommandPart, desk: Desk): Finding | undefined {
  const critical = criticalRemoval(part, desk.context);
  return critical === undefined
    ? undefined
    : asked(desk.mode, "critical", `it removes ${critical}: too much to pass unasked`);
}

function judgeRules(texts: CommandTexts, rules: RulesOn, desk: Desk): Finding | undefined {
  const deny = strongest(texts, rules.deny);
  if (deny?.met === "surely") return denied(deny.rule, `${deny.rule.text} denies it`);
  const ask = strongest(texts, rules.ask);
  if (ask?.met === "surely") return asked(desk.mode, "rule", `${ask.rule.text} asks about it`, ask.rule);
  const maybe = (deny ?? ask)?.rule;
  return (
    maybe && asked(desk.mode, "rule", `${maybe.text} may apply: part of the command is not known beforehand`, maybe)
  );
}

/** The first rule that surely meets the command, else the first that may. */
function strongest(
  texts: CommandTexts,
  rules: readonly PolicyRule[],
): { rule: PolicyRule; met: "surely" | "maybe" } | undefined {
  let maybe: PolicyRule | undefined;
  for (const rule of rules) {
    const { target } = rule.meaning;
    const met = target.kind === "command" ? meets(texts, target.pattern) : "no";
    if (met === "surely") return { rule, met };
    if (met === "maybe") maybe ??= rule;
  }
  return maybe && { rule: maybe, met: "maybe" };
}

/** Names of files among the words: rules that restrict reading or editing count, and protection. */
function judgeOperands(part: CommandPart, desk: Desk): Finding | undefined {
  const findings: Finding[] = [];
  const look = (path: string, access: Access): void => {
    const found = desk.recall(`operand ${access.writes} ${path}`, () => judgeOperand(path, access, desk));
    if (found) findings.push(found);
  };
  for (const { word, access } of fileOperands(part)) {
    for (const path of pathsOf(word, part.places, desk.context.home).paths)
      look(path, access === "write" ? shellWrite : shellRead);
  }
  for (const path of copiedPaths(part, desk)) look(path, shellWrite);
  return strictest(findings);
}

/** Where `cp x/.npmrc folder` leaves a file. */
function copiedPaths(part: CommandPart, desk: Desk): string[] {
  const { home } = desk.context;
  return copiedNames(part).flatMap(({ from, to }) => {
    const name = staticValue(from)?.replace(/\/+$/, "").split("/").at(-1);
    return name === undefined ? [] : pathsOf(to, part.places, home).paths.map((folder) => `${folder}/${name}`);
  });
}

function judgeOperand(path: string, access: Access, desk: Desk): Finding | undefined {
  const resolved = path.length > longestPath ? undefined : desk.look(path);
  if (resolved === undefined) return asked(desk.mode, "analysis", "the command names more files than are looked at");
  const found = judgeRestrictions(resolved, access, desk);
  const guard = access.writes ? protectionFinding(resolved, desk) : undefined;
  // Where the mode lets protected files pass, there is nothing to say about an operand.
  return strictest([found, guard?.stance === "ask" ? guard : undefined]);
}

/** A rule that covers the command, or the exact rule of a wrapper around it (PE-30). */
function coveringRule(part: CommandPart, texts: CommandTexts, allow: readonly PolicyRule[]): PolicyRule | undefined {
  const covering = allow.find(({ meaning: { target } }) => {
    if (target.kind === "all") return part.opaque === undefined;
    return (
      target.kind === "command" &&
      (part.opaque === undefined || target.pattern.exact) &&
      isCovered(texts, target.pattern)
    );
  });
  if (covering) return covering;
  for (let outer = part.within; outer !== undefined; outer = outer.within) {
    const wrapper = textsOf(outer);
    const exact = allow.find(
      ({ meaning: { target } }) =>
        target.kind === "command" && target.pattern.exact && isCovered(wrapper, target.pattern),
    );
    if (exact) return exact;
  }
  return undefined;
}

function entersRepository(part: CommandPart, desk: Desk): boolean {
  const { folders, unknown } = part.places;
  const head = staticValue(part.words[0] ?? unknownWord)
    ?.split("/")
    .at(-1);
  return (
    head === "git" &&
    (unknown || folders.some((folder) => folder !== desk.context.cwd && folder !== trimmed(desk.context.cwd)))
  );
}

/** A command of the read-only table: its files are reads under Read rules and the mode (PE-34). */
function judgeReadOnly(part: CommandPart, desk: Desk): Finding | undefined {
  const head = staticValue(part.words[0] ?? unknownWord);
  const read = head === "cd" ? changedFolder(part) : readOnlyFiles(part, desk.readOnly);
  if (read === undefined) return undefined;
  const findings = read.files.map((word) => judgeWord(word, part, desk));
  const below = read.deep ? read.files.map((word) => restrictedBelow(word, part, desk)) : [];
  return strictest([harmless("it only reads"), ...findings, ...below]);
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
 * `mkdir touch cp mv` with every operand known and inside: what acceptEdits lets pass (PE-14). Beside other changes in the
 * same text a folder is not moved: a link in it would lead them elsewhere once it has moved.
 */
function judgeEdits(part: CommandPart, alone: boolean, desk: Desk): Finding | undefined {
  const [name, ...args] = part.words;
  const head = (name && staticValue(name)) ?? "";
  const grammar = editing.get(head);
  const read = grammar && !part.openEnded ? readArguments(args, grammar, false) : undefined;
  if (read === undefined || read.operands.length === 0) return undefined;
  const looked = read.operands.map((word) => pathsOf(word, part.places, desk.context.home));
  const paths = [...looked.flatMap((operand) => operand.paths), ...copiedPaths(part, desk)];
  const inside = paths.every((path) => {
    const resolved = path.length > longestPath ? undefined : desk.look(path);
    if (resolved === undefined || !isInside(resolved, desk) || isSpecial(resolved)) return false;
    if (head === "mv" && !alone && resolved.kind === "folder") return false;
    return protectionFinding(resolved, desk) === undefined;
  });
  if (!inside || looked.some(({ sure }) => !sure)) return undefined;
  return byMode(desk.mode, "shell-write-inside", "no rule; it changes files inside the working directories");
}

function trimmed(folder: string): string {
  return folder.length > 1 ? folder.replace(/\/+$/, "") : folder;
}

const unknownWord: ShellWord = {
  pieces: ["", ""],
  raw: "",
  at: [0, 0],
  splits: true,
  behindVariable: false,
  readings: [],
};
