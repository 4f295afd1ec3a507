import { longestPath } from "../paths/resolve-path.ts";
import { copiedPaths, fileOperands, mostOperands, worksOnFiles } from "../shell/programs/file-operands.ts";
import type { CommandPart } from "../shell/shell-part.ts";
import { escapePattern } from "../shell/word-pieces.ts";
import { asked, type Finding, strictest } from "./finding.ts";
import { namesInText } from "./judge-by-words.ts";
import type { Desk } from "./judge-context.ts";
import { judgeNamed } from "./judge-file-names.ts";
import type { Access } from "./judge-path.ts";
import { shellRead, shellWrite } from "./judge-shell-files.ts";

/** Names of files among the words: rules that restrict reading or editing count, and protection. */
export function judgeOperands(part: CommandPart, text: string, desk: Desk): Finding | undefined {
  const operands = fileOperands(part);
  const copied = copiedPaths(part, desk.context.home);
  const findings: (Finding | undefined)[] = [];
  const tooMany = operands.length + copied.length > mostOperands;
  const tooLong = operands.some(({ pattern }) => pattern !== undefined && pattern.length > 2 * longestPath);
  if (tooMany || tooLong) {
    findings.push(asked(desk.mode, "analysis", "the command names more files than are looked at"));
  }
  const judge = (pattern: string | undefined, raw: string, access: Access): void => {
    findings.push(judgeNamed({ pattern, raw }, access, part.places, desk));
  };
  for (const { pattern, raw, access } of operands.slice(0, mostOperands)) {
    judge(pattern, raw, access === "write" ? shellWrite : shellRead);
  }
  for (const path of copied.slice(0, mostOperands)) judge(escapePattern(path), path, shellWrite);
  if (part.fed && worksOnFiles(part)) findings.push(judgeFed(text, desk));
  return strictest(findings);
}

/** A command whose words come from elsewhere: a name that a rule denies, anywhere in the text, may become one of them. */
function judgeFed(text: string, desk: Desk): Finding | undefined {
  return desk.recall(`fed ${text}`, () => {
    const rule = namesInText(text, desk);
    return rule && asked(desk.mode, "rule", `${rule.text} may apply: what it names occurs in the command`, rule);
  });
}
