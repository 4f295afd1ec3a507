import { coverCommands, coverScript } from "./cover-script.ts";
import { type Checkout, CoverageCollector, type NamedFile, type NotCovered, UnreadableFile } from "./gather-files.ts";
import type { ScriptWalk } from "./script-walk.ts";
import { searchFile } from "./search-file.ts";
import type { Piece, TextWord } from "./shell-words.ts";
import { LimitExceeded } from "./word-values.ts";

/** What is started, as settings write it. */
export interface NamedCommand {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** What `${CLAUDE_PLUGIN_ROOT}` stands for. */
  readonly root?: string | undefined;
  readonly shell?: string | undefined;
}

/** What an approval of a command covers: the current content of the files it names and runs, and what it may run in addition. */
export interface Coverage {
  readonly files: readonly NamedFile[];
  readonly notCovered: readonly NotCovered[];
  /** Where the files were found, as absolute paths, with the marks of the files that were read there. */
  readonly places: ReadonlyMap<string, string>;
}

export interface CoverageOptions {
  /** The folder the command starts in. Default: the checkout's own. */
  readonly from?: string;
  /** Receives the content of each file that was read, so that what is shown is what was analyzed. */
  readonly onBytes?: (path: string, bytes: Buffer) => void;
}

/**
 * Finds everything a command can run in a checkout. Starts nothing.
 * Contract: the result is complete, or `unusable` when a limit is reached.
 */
export function coverageOf(
  named: NamedCommand,
  checkout: Checkout,
  { from = checkout.real, onBytes }: CoverageOptions = {},
): Coverage | { readonly unusable: string } {
  const collector = new CoverageCollector(checkout, from, onBytes);
  try {
    gather(named, collector);
  } catch (error) {
    if (error instanceof LimitExceeded || error instanceof UnreadableFile) return { unusable: error.message };
    throw error;
  }
  return {
    files: [...collector.files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
    notCovered: [...collector.notCovered.values()],
    places: collector.places,
  };
}

function gather({ command, args, root, shell }: NamedCommand, collector: CoverageCollector): void {
  const { checkout, from } = collector;
  const variables = new Map([
    ["CLAUDE_PROJECT_DIR", [checkout.real]],
    ["PWD", [from]],
    ["HOME", [checkout.home]],
    ...(root === undefined ? [] : [["CLAUDE_PLUGIN_ROOT", [root]] as const]),
  ]);
  const script: ScriptWalk = { mode: "named", label: "", folders: [from], depth: 0, variables, collector };
  if (args !== undefined) coverArguments([command, ...args], script);
  else {
    coverScript(shell === "powershell" ? asShellText(command) : command, script);
    if (shell === "powershell")
      collector.reportNotCovered("powershell", "of a PowerShell command, only files that it names are covered");
  }
  for (let left = true; left; ) {
    const next = collector.scripts.pop();
    const file = next === undefined ? collector.toSearch.pop() : undefined;
    if (next !== undefined) coverScript(next.text, next.script);
    if (file !== undefined) searchFile(file, { ...script, folders: [...(file.folders ?? [from])] });
    left = next !== undefined || file !== undefined;
  }
}

/** A program started without a shell: each argument is one word. */
function coverArguments(args: readonly string[], script: ScriptWalk): void {
  const words = args.map((text): TextWord => ({ raw: text, pieces: argumentPieces(text) }));
  coverCommands([{ words, reads: [], bodies: [], piped: false, pattern: false }], "", script);
}

function argumentPieces(text: string): readonly Piece[] {
  return text
    .split(/\$\{(\w+)\}/)
    .map(
      (piece, index): Piece =>
        index % 2 === 0
          ? { kind: "text", text: piece, quoted: true }
          : { kind: "variable", name: piece, operator: "", operand: "" },
    );
}

/** PowerShell writes `$env:NAME` for a variable, and a backslash is a plain character. */
function asShellText(command: string): string {
  return command
    .replace(/\$\{?env:(\w+)\}?/gi, "${$1}")
    .replaceAll("\\", "/")
    .replaceAll("`", " ");
}
