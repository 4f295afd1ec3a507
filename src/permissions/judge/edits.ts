import { longestPath } from "../paths/resolve-path.ts";
import { copiedPaths, pathsOf } from "../shell/programs/file-operands.ts";
import { type OptionGrammar, readArguments } from "../shell/programs/program-options.ts";
import { type CommandPart, staticValue } from "../shell/shell-part.ts";
import { byMode, type Finding } from "./finding.ts";
import type { Desk } from "./judge-context.ts";
import { isInside, isSpecial, protectionFinding } from "./judge-path.ts";

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
