import { longestPath } from "../paths/resolve.ts";
import { copiedPaths, fileOperands, pathsOf } from "../shell/file-operands.ts";
import type { CommandPart } from "../shell/part.ts";
import type { Desk } from "./desk.ts";
import { asked, type Finding, strictest } from "./finding.ts";
import { type Access, judgeRestrictions, protectionFinding } from "./path.ts";
import { shellRead, shellWrite } from "./redirection.ts";

/** Names of files among the words: rules that restrict reading or editing count, and protection. */
export function judgeOperands(part: CommandPart, desk: Desk): Finding | undefined {
  const findings: Finding[] = [];
  const look = (path: string, access: Access): void => {
    const found = desk.recall(`operand ${access.writes} ${path}`, () => judgeOperand(path, access, desk));
    if (found) findings.push(found);
  };
  for (const { word, access } of fileOperands(part)) {
    for (const path of pathsOf(word, part.places, desk.context.home).paths) {
      look(path, access === "write" ? shellWrite : shellRead);
    }
  }
  for (const path of copiedPaths(part, desk.context.home)) look(path, shellWrite);
  return strictest(findings);
}

function judgeOperand(path: string, access: Access, desk: Desk): Finding | undefined {
  const resolved = path.length > longestPath ? undefined : desk.look(path);
  if (resolved === undefined) return asked(desk.mode, "analysis", "the command names more files than are looked at");
  const found = judgeRestrictions(resolved, access, desk);
  const guard = access.writes ? protectionFinding(resolved, desk) : undefined;
  // Where the mode lets protected files pass, there is nothing to say about an operand.
  return strictest([found, guard?.stance === "ask" ? guard : undefined]);
}
