import { longestPath } from "../paths/resolve-path.ts";
import { pathsOf } from "../shell/programs/file-operands.ts";
import { type ReadFiles, readOnlyFiles } from "../shell/programs/read-only-commands.ts";
import { type CommandPart, type ShellWord, staticValue } from "../shell/shell-part.ts";
import { asked, byMode, type Finding, harmless, strictest } from "./finding.ts";
import type { Desk } from "./judge-context.ts";
import { judgeFile, shellRead } from "./judge-shell-files.ts";
import { ruleBelow } from "./search.ts";

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
