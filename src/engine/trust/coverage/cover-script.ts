import { join } from "node:path";
import { runInterpreter, runWrapper } from "./cover-programs.ts";
import { nameLoadingVariables } from "./interpreter-loads.ts";
import { coverMakefiles } from "./makefile.ts";
import { coverPackageCall, packageOfProgram } from "./package-scripts.ts";
import {
  interpreterOf,
  isKeyword,
  isPackageRunner,
  isPlain,
  isProgramOption,
  isStartedByName,
  isWrapper,
  onlyWrites,
  runsFiles,
} from "./program-kinds.ts";
import {
  type CommandWalk,
  coverNested,
  coverWord,
  enterFolder,
  isOutside,
  meaningsOf,
  programName,
  reportNotCovered,
  reportUnknown,
  type ScriptWalk,
  variablesOf,
  type WordMeaning,
} from "./script-walk.ts";
import { readShellText } from "./shell-text.ts";
import type { TextCommand } from "./shell-words.ts";
import { LimitExceeded, unknown } from "./word-values.ts";

const maxDepth = 6;
const maxFolders = 64;
const maxCommands = 5_000;
const maxWrappers = 10;

/** Covers what a shell text names or runs, and reports what cannot be covered. */
export function coverScript(text: string, script: ScriptWalk): void {
  if (script.depth > maxDepth) throw new LimitExceeded("its scripts are nested too deeply");
  script.collector.count(text);
  const read = readShellText(text);
  if (read.commands.length > maxCommands) {
    const where = script.label === "" ? "it" : script.label;
    throw new LimitExceeded(`${where} has more than ${maxCommands} commands`);
  }
  coverCommands(read.commands, text, script);
  for (const inner of read.scripts) coverScript(inner, { ...script, depth: script.depth + 1 });
  if (/\bglobstar\b/.test(text)) reportNotCovered("globstar", "folders below a ** are not searched", script);
}

/** The same for parsed commands. `text` is searched for functions. */
export function coverCommands(commands: readonly TextCommand[], text: string, script: ScriptWalk): void {
  const variables = variablesOf(commands, script);
  const functions = new Set([...text.matchAll(/([\w-]+)\s*\(\)/g)].map(([, name = ""]) => name));
  const walk: CommandWalk = { commands, functions, script: { ...script, variables }, runWords, coverScript };
  // An earlier name may be relative to a folder that is found later: `cd hooks && ./check.sh`.
  for (let before = -1; before < script.folders.length; ) {
    before = script.folders.length;
    for (const index of commands.keys()) coverCommand(index, walk);
    if (script.folders.length > maxFolders) throw new LimitExceeded(`it names more than ${maxFolders} folders`);
  }
}

function coverCommand(index: number, walk: CommandWalk): void {
  const command = walk.commands[index];
  if (command === undefined) return;
  const words = meaningsOf(command.words, walk);
  const head = words.find(({ values }) => !values.every((value) => isKeyword(value) || isAssignment(value)));
  const name = programName(head);
  if (walk.script.mode === "named") {
    const counting = onlyWrites(name) ? words.slice(0, words.indexOf(head ?? nothing) + 1) : words;
    for (const word of [...counting, ...meaningsOf(command.reads, walk)]) coverWord(word, walk);
    for (const { values } of words) for (const value of values) coverNested(value, asGuess(walk));
  }
  if (command.pattern) return;
  nameLoadingVariables(words, walk);
  if (head === undefined) return;
  // `$CMD` may be a whole command.
  if (walk.script.mode === "run") for (const value of head.values) coverNested(value, walk);
  runWords(words.slice(words.indexOf(head)), index, walk);
}

/** The same for a text that may not be a command. */
function asGuess(walk: CommandWalk): CommandWalk {
  return { ...walk, script: { ...walk.script, isGuess: true } };
}

const nothing: WordMeaning = { raw: "", values: [] };

function isAssignment(value: string): boolean {
  return /^\w+\+?=/.test(value);
}

/** Covers what a command runs, from its program on. */
function runWords(words: readonly WordMeaning[], index: number, walk: CommandWalk, wrapped = 0): void {
  const [head, ...args] = words;
  if (head === undefined) return;
  const { script } = walk;
  const name = programName(head);
  reportUnknown(head, walk);
  const isPath = head.values.some((value) => /[/\uE000-\uE003]/.test(value));
  if (isPath) coverWord(head, walk);
  const isOwn = isPath && !isOutside(head, walk);
  for (const word of args) if (/^(?:cd|pushd)$/.test(name)) enterFolder(word, walk);
  const language = interpreterOf(name);
  if (wrapped > maxWrappers) throw new LimitExceeded(`it has more than ${maxWrappers} commands inside each other`);
  for (const word of args.filter(({ values }) => values.some(isProgramOption))) {
    coverWord(word, walk);
    for (const value of word.values) coverNested(value.slice(value.lastIndexOf("=") + 1), asGuess(walk));
  }
  // Later commands run what these name: `set -- FILE; sh $1`, `exec 3<FILE; sh <&3`.
  if (/^(?:set|hash|exec)$/.test(name))
    for (const word of [...args, ...meaningsOf(walk.commands[index]?.reads ?? [], walk)]) coverWord(word, walk);
  if (isWrapper(name)) runWrapper(name, args, index, walk, wrapped);
  else if (language === "make") {
    for (const word of args) reportUnknown(word, walk);
    coverMakefiles(
      args.map(({ values }) => values[0] ?? ""),
      script,
    );
  } else if (isPackageRunner(name)) {
    coverPackageCall(
      name,
      args.map(({ values }) => values[0] ?? unknown),
      script,
    );
    runGiven(args, index, walk, wrapped);
  } else if (name === "node" && args.some(({ values }) => /^--run(?:=|$)/.test(values[0] ?? "")))
    coverPackageCall(
      "npm",
      ["run", ...args.flatMap(({ values }) => (values[0] ?? "").replace(/^--run=?/, ""))],
      script,
    );
  else if (language !== undefined) runInterpreter(name, language, args, index, walk);
  else if (walk.functions.has(name)) runWords(args, index, walk, wrapped + 1);
  else if (!isOwn && !isPlain(name) && name !== "" && !/[\s\uE000-\uE003]/.test(name)) {
    ordinaryProgram(name, walk);
    runGiven(args, index, walk, wrapped);
    if (runsFiles(name)) for (const word of args) coverWord(word, walk);
  }
}

/** `uv run python3 FILE`, `docker run IMAGE node FILE`: an interpreter among the arguments may be started with the arguments after it. */
function runGiven(args: readonly WordMeaning[], index: number, walk: CommandWalk, wrapped: number): void {
  const at = args.findIndex((word) => isStartedByName(programName(word)));
  if (at >= 0) runWords(args.slice(at), index, walk, wrapped + 1);
}

/** A program of the system or of a package: what it loads on its own is unknown. */
function ordinaryProgram(name: string, { script }: CommandWalk): void {
  for (const folder of script.folders)
    if (script.collector.cover(join(folder, name)) === "file" && script.mode === "named") return;
  const found = packageOfProgram(name, script);
  if (found === "covered" || script.isGuess) return;
  reportNotCovered(
    found ?? name,
    "what this program loads from the folder on its own, such as its configuration",
    script,
  );
}
