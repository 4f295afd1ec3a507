// Adds a trailer to every git commit by rewriting the command; guards with `recheck` then look at what really runs.
// app.include(commitTrailer({ trailer: "Assisted-by: an agent" }));
import { type Blueprint, blueprint, patchInput } from "hookline/sdk";

export interface CommitTrailerOptions {
  /** `Key: value`, as git wants it. */
  readonly trailer?: string;
}

export function commitTrailer(options: CommitTrailerOptions = {}): Blueprint {
  const part = blueprint("commit-trailer", options, { trailer: "string" });
  const { trailer = "Assisted-by: a coding agent" } = options;
  const option = ` --trailer '${trailer.replaceAll("'", "'\\''")}'`;
  const helper = { name: "commit-trailer", onFailure: "continue" } as const;
  part.preTool("Bash", helper, async ({ input: { command } }, { cwd, env }) => {
    if (!command.includes("commit") || command.includes(trailer)) return undefined;
    const { analyseShell } = await import("hookline/permissions");
    const { parts, complete } = analyseShell(command, { cwd, home: env["HOME"] ?? "/" });
    if (!complete) return undefined;
    const ends = parts.flatMap((one) => {
      if (one.kind !== "command" || !/(?:^|\/)git$/.test(one.words[0]?.pieces.join("*") ?? "")) return [];
      const [subcommand] = one.words.slice(1).filter((word, index, words) => isPlain(word.raw, words[index - 1]?.raw));
      // Words inside quotes or backticks of another shell have no place of their own: there it would have to be quoted twice.
      const [start, end] = subcommand?.pieces.join("*") === "commit" ? subcommand.at : [0, 0];
      return end > 0 && command.slice(start, end) === subcommand?.raw ? [end] : [];
    });
    if (ends.length === 0) return undefined;
    const last = (text: string, at: number) => text.slice(0, at) + option + text.slice(at);
    return patchInput({ command: [...new Set(ends)].sort((a, b) => b - a).reduce(last, command) });
  });
  return part;
}

/** Neither an option of git nor the value of one. */
function isPlain(word: string, before = ""): boolean {
  return (
    !word.startsWith("-") && !/^(?:-C|-c|--git-dir|--work-tree|--namespace|--config-env|--attr-source)$/.test(before)
  );
}
