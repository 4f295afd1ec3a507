import { coverCommands, coverScript } from "./cover-script.ts";
import { type Checkout, Gathering, type NamedFile, type NotCovered, Unusable } from "./gather-files.ts";
import type { Script } from "./script-walk.ts";
import { searchFile } from "./search-file.ts";
import type { Piece, TextWord } from "./shell-text.ts";
import { TooMany } from "./word-values.ts";

/** What is started, as settings write it. */
export interface NamedCommand {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** What `${CLAUDE_PLUGIN_ROOT}` stands for. */
  readonly root?: string | undefined;
  readonly shell?: string | undefined;
}

/** What an approval of a command covers: the files it names and runs, as they are now, and what it may run beside them. */
export interface Coverage {
  readonly files: readonly NamedFile[];
  readonly notCovered: readonly NotCovered[];
  /** Where the files were found, as absolute paths, with the marks of the files that were read there. */
  readonly places: ReadonlyMap<string, string>;
}

export interface CoverageOptions {
  /** The folder the command starts in. Default: the checkout's own. */
  readonly from?: string;
  /** Gets what was read of each file, so that what is shown is what was looked at. */
  readonly onBytes?: (path: string, bytes: Buffer) => void;
}

/**
 * Looks at everything a command can run in a checkout. Starts nothing.
 * Contract: a limit that is reached makes the whole unusable; what it gives is never a part of it.
 */
export function coverageOf(
  named: NamedCommand,
  checkout: Checkout,
  { from = checkout.real, onBytes }: CoverageOptions = {},
): Coverage | { readonly unusable: string } {
  const gathering = new Gathering(checkout, from, onBytes);
  try {
    gather(named, gathering);
  } catch (error) {
    if (error instanceof TooMany || error instanceof Unusable) return { unusable: error.message };
    throw error;
  }
  return {
    files: [...gathering.files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
    notCovered: [...gathering.notCovered.values()],
    places: gathering.places,
  };
}

function gather({ command, args, root, shell }: NamedCommand, gathering: Gathering): void {
  const { checkout, from } = gathering;
  const variables = new Map([
    ["CLAUDE_PROJECT_DIR", [checkout.real]],
    ["PWD", [from]],
    ["HOME", [checkout.home]],
    ...(root === undefined ? [] : [["CLAUDE_PLUGIN_ROOT", [root]] as const]),
  ]);
  const script: Script = { mode: "named", label: "", folders: [from], depth: 0, variables };
  if (args !== undefined) coverArguments([command, ...args], script, gathering);
  else {
    coverScript(shell === "powershell" ? asShellText(command) : command, script, gathering);
    if (shell === "powershell")
      gathering.leaveOut("powershell", "of a PowerShell command only the files are covered that it names");
  }
  for (let left = true; left; ) {
    const next = gathering.scripts.pop();
    const file = next === undefined ? gathering.unsearched.pop() : undefined;
    if (next !== undefined) coverScript(next.text, next.script, gathering);
    if (file !== undefined) searchFile(file, { ...script, folders: [...(file.folders ?? [from])] }, gathering);
    left = next !== undefined || file !== undefined;
  }
}

/** A program that is started without a shell: each argument is one word. */
function coverArguments(args: readonly string[], script: Script, gathering: Gathering): void {
  const words = args.map((text): TextWord => ({ raw: text, pieces: argumentPieces(text) }));
  coverCommands([{ words, reads: [], bodies: [], piped: false, pattern: false }], "", script, gathering);
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

/** PowerShell writes `$env:NAME` for a variable and takes a backslash for itself. */
function asShellText(command: string): string {
  return command
    .replace(/\$\{?env:(\w+)\}?/gi, "${$1}")
    .replaceAll("\\", "/")
    .replaceAll("`", " ");
}
