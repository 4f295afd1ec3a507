import { dirname } from "node:path";
import { coverCommands, coverScript } from "./cover-script.ts";
import {
  type Checkout,
  CoverageCollector,
  type FileToSearch,
  type NamedFile,
  type NotCovered,
  type OnBytes,
  quotedTexts,
  realPathOf,
  type ScriptWalk,
} from "./gather-files.ts";
import { searchJavaScript } from "./javascript.ts";
import { searchMakefile } from "./makefile.ts";
import { packageAt } from "./package-scripts.ts";
import { searchPython } from "./python.ts";
import type { Piece, TextWord } from "./shell-words.ts";
import { initialVariables, NotApprovable } from "./word-values.ts";

/** What is started, as settings write it. */
export interface NamedCommand {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** The value of `${CLAUDE_PLUGIN_ROOT}`. */
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

/**
 * Finds everything a command can run in a checkout when it starts in the folder `from`. Starts nothing.
 * Contract: the result is complete, or `unusable` when a limit is reached.
 */
export function coverageOf(
  named: NamedCommand,
  checkout: Checkout,
  { from = checkout.real, onBytes }: { readonly from?: string; readonly onBytes?: OnBytes } = {},
): Coverage | { readonly unusable: string } {
  const collector = new CoverageCollector(checkout, from, onBytes);
  try {
    gather(named, collector);
  } catch (error) {
    if (error instanceof NotApprovable) return { unusable: error.message };
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
  const variables = initialVariables(checkout.real, checkout.home, root);
  const script: ScriptWalk = { label: "", folders: [from], depth: 0, variables, collector };
  if (args !== undefined) {
    // A program started without a shell: each argument is one word.
    const words = [command, ...args].map((text): TextWord => ({ raw: text, pieces: argumentPieces(text) }));
    coverCommands([{ words, reads: [], bodies: [], piped: false, pattern: false }], "", script);
  } else {
    coverScript(shell === "powershell" ? asShellText(command) : command, script);
    if (shell === "powershell")
      collector.reportNotCovered("powershell", "of a PowerShell command, only files that it names are covered");
  }
  for (;;) {
    const next = collector.scripts.pop();
    const file = next === undefined ? collector.toSearch.pop() : undefined;
    if (next !== undefined) coverScript(next.text, next.script);
    else if (file !== undefined) searchFile(file, { ...script, folders: [...(file.folders ?? [from])] });
    else return;
  }
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

const maxSearchedLength = 1024 * 1024;

/** Covers what a file loads, and reports what cannot be covered. */
function searchFile(file: FileToSearch, script: ScriptWalk): void {
  const { path, place, text } = file;
  const realFolder = dirname(realPathOf(place) ?? place);
  if (/(?:^|\/)node_modules\//.test(path))
    script.collector.reportNotCovered(packageAt(realFolder) ?? path, `a package; only ${path} of it is covered`);
  else if (text.length > maxSearchedLength)
    script.collector.reportNotCovered(path, "it is too long to search for what it loads");
  else {
    // A loader that follows links searches next to the real file, others next to the link.
    const folders = [...new Set([...script.folders, dirname(place), realFolder])];
    searchText(file, { ...script, label: path, file: place, folders, depth: 0 });
  }
}

function searchText(file: FileToSearch, script: ScriptWalk): void {
  const { path, text, language } = file;
  const { collector } = script;
  const [, first] = /^#!\s*([^\n]{0,200})/.exec(text) ?? [];
  // A `#!` line with options may load more: `#!/usr/bin/env -S node --import ./x.mjs`.
  if (first !== undefined && /\s-[^f\s]*\s+\S|[/.]\S*=/.test(first))
    collector.scripts.push({ text: first.replace(/\senv\s+-S\s|\s-S\s/, " "), script });
  if (language === "shell") collector.scripts.push({ text: text.replace(/^#![^\n]*/, ""), script });
  else if (language === "javascript") searchJavaScript(file, script);
  else if (language === "python") searchPython(file, script);
  else if (language === "make") searchMakefile(file, script);
  else {
    collector.coverTexts(quotedTexts(text), script.folders);
    collector.reportNotCovered(path, "what it loads: files in this language are not searched");
  }
}
