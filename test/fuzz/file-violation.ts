import { compileRules, judge, realFs } from "../../src/permissions/internal.ts";
import { resolvePath } from "../../src/permissions/paths/resolve-path.ts";
import type { Deeds } from "./bash-oracle.ts";

const policy = compileRules([{ scope: "user", allow: ["Bash"], deny: ["Read(./.env)"] }]);
const onFiles = new Set(["cat", "wc", "tee", "cp", "nl"]);

/** Whether bash gave the denied file to a command that works on files, and what the rules say about the line. */
export function deniedFile(line: string, { calls, cwd }: Deeds): { given: string[]; decision: string } {
  const denied = `${cwd}/.env`;
  const given = calls
    .filter(({ words: [head = ""] }) => onFiles.has(head))
    .filter(({ words, folder }) =>
      words.slice(1).some((word) => word !== "" && resolvePath(word, folder, realFs).resolved === denied),
    )
    .map(({ words }) => words.join(" "));
  const { decision } = judge({ tool: "Bash", input: { command: line } }, policy, { cwd, home: cwd, projectRoot: cwd });
  return { given, decision };
}
