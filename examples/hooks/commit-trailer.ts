// Adds a trailer to every git commit by rewriting the command; guards with `recheck` then look at what really runs.
// app.include(commitTrailer({ trailer: "Assisted-by: an agent" }));
import { type Blueprint, blueprint, patchInput } from "hookline/sdk";

export interface CommitTrailerOptions {
  /** `Key: value`, as git wants it. */
  readonly trailer?: string;
}

export function commitTrailer({ trailer = "Assisted-by: a coding agent" }: CommitTrailerOptions = {}): Blueprint {
  const option = ` --trailer '${trailer.replaceAll("'", "'\\''")}'`;
  const part = blueprint("commit-trailer");
  part.preTool("Bash", { name: "commit-trailer" }, async ({ input: { command } }, { cwd, env }) => {
    if (!command.includes("commit") || command.includes(trailer)) return undefined;
    const { analyseShell } = await import("hookline/permissions");
    const { parts, complete } = analyseShell(command, { cwd, home: env["HOME"] ?? "/" });
    if (!complete) return undefined;
    // Not inside quotes of another shell: what stands there would have to be quoted twice.
    const ends = parts.flatMap((one) => {
      if (one.kind !== "command" || one.via.length > 0 || one.words[0]?.pieces.join("*") !== "git") return [];
      const [subcommand] = one.words.slice(1).filter((word, index, words) => isPlain(word.raw, words[index - 1]?.raw));
      return subcommand?.raw === "commit" ? [subcommand.at[1]] : [];
    });
    if (ends.length === 0) return undefined;
    const last = (text: string, at: number) => text.slice(0, at) + option + text.slice(at);
    return patchInput({ command: ends.toSorted((a, b) => b - a).reduce(last, command) });
  });
  return part;
}

/** Neither an option of git nor the value of `-C` and `-c`. */
function isPlain(word: string, before: string | undefined): boolean {
  return !word.startsWith("-") && before !== "-C" && before !== "-c";
}
