import { type CommandPart, type FilePart, realFs, type ShellAnalysis } from "../../src/permissions/internal.ts";
import { resolvePath } from "../../src/permissions/paths/resolve-path.ts";
import type { Deeds } from "./bash-oracle.ts";

/** What bash did that no part of a complete analysis lists; none is what the fuzz demands. */
export function violations(analysis: ShellAnalysis, deeds: Deeds): string[] {
  if (!analysis.complete) return [];
  const { heads, anyHead } = headsIn(analysis);
  const { files, anyFile } = filesIn(analysis);
  return [
    ...deeds.ran.filter((head) => !anyHead && !heads.has(head)).map((head) => `ran ${JSON.stringify(head)}`),
    ...deeds.made.filter((file) => !anyFile && !files.has(file)).map((file) => `made ${JSON.stringify(file)}`),
  ];
}

/** A head that is not known is never allowed: it lists every program. */
function headsIn({ parts }: ShellAnalysis): { heads: Set<string>; anyHead: boolean } {
  const commands = parts.filter((part) => part.kind === "command");
  const names = commands.map(({ words }) => words[0]?.pieces);
  return {
    heads: new Set(names.flatMap((pieces) => (pieces?.length === 1 ? [pieces[0]] : []))),
    anyHead: names.some((pieces) => pieces?.length !== 1) || commands.some(({ opaque }) => opaque !== undefined),
  };
}

/**
 * Programs that write files of their own accord, named by an operand or by a habit. The analysis lists what bash writes; the
 * operands of programs are no parts of it, but read from a table when a command is judged.
 */
const operandWriter = /\/(tar|split|script)$/;

function headOf({ words: [head] }: CommandPart): string {
  return head?.pieces[0] ?? "";
}

/** Where writes may go: a target or a folder that is not known lists every file. */
function filesIn({ parts }: ShellAnalysis): { files: Set<string>; anyFile: boolean } {
  // A command that is not known, or starts what is not seen, may write anything; only an exact rule allows it.
  const opaque = parts.some(
    (part) => part.kind === "command" && (part.opaque !== undefined || part.words[0]?.pieces.length !== 1),
  );
  const byOperand = parts.some((part) => part.kind === "command" && operandWriter.test(headOf(part)));
  const writes = parts.flatMap((part) => (part.kind === "write" ? [part as FilePart] : []));
  const known = writes.flatMap(({ target, places }) => {
    const [name] = target.pieces;
    return name.startsWith("/") ? [name] : places.folders.map((folder) => `${folder}/${name}`);
  });
  return {
    files: new Set(known.map((path) => resolvePath(path, "/", realFs).resolved)),
    anyFile:
      opaque ||
      byOperand ||
      writes.some(
        ({ target, places }) => target.pieces.length > 1 || (places.unknown && !target.pieces[0].startsWith("/")),
      ),
  };
}
