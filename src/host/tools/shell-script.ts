/**
 * What bash is given, on one line so that its messages count lines from the command's own. The command comes on stdin. Its output goes
 * to the file `$1`, both streams in the order of writing: what a command leaves running neither holds us nor loses its output. The pipe
 * in its place carries our own words and is closed while foreign text runs: `env <file>` before each env file, `go` before the
 * command, `pwd <folder>` after a command that went well.
 */
export const shellScript: string = [
  `IFS= builtin read -r -d '' hookline_command; exec 9>&1 >>"$1" 2>&1 </dev/null; shift`,
  `for hookline_file in "$@"; do builtin echo "env $hookline_file" >&9`,
  `builtin . "$hookline_file" 9>&- >/dev/null 2>&1; done`,
  "builtin set --; builtin unset hookline_file; builtin echo go >&9",
  'builtin eval "builtin unset hookline_command; $hookline_command" 9>&-; hookline_code=$?',
  '[ "$hookline_code" -eq 0 ] && builtin echo "pwd $(builtin pwd -P)" >&9; builtin exit "$hookline_code"',
].join("; ");

export interface ShellWords {
  /** The env file that was being read when the shell ended, before the command was reached. */
  readonly stoppedIn?: string;
  /** Where the command ended, when it went well. */
  readonly folder?: string;
}

export function readShellWords(text: string): ShellWords {
  const at = `\n${text}`.indexOf("\ngo\n");
  if (at < 0) {
    const file = text.split("\n").findLast((line) => line.startsWith("env "));
    return file === undefined ? {} : { stoppedIn: file.slice("env ".length) };
  }
  const folder = text.slice(at + "go\n".length).replace(/\n$/, "");
  return folder.startsWith("pwd /") ? { folder: folder.slice("pwd ".length) } : {};
}
