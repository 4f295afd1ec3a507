import { isAbsolute, join } from "node:path";
import { isGuarded } from "../../settings/layer.ts";
import { runInterpreter, runWrapper } from "./cover-programs.ts";
import { insidePath, type ScriptWalk } from "./gather-files.ts";
import { coverMakefiles } from "./makefile.ts";
import { coverPackageCall, packageOfProgram } from "./package-scripts.ts";
import { interpreterOf, isProgramOption, isStartedByName, programs } from "./program-kinds.ts";
import {
  type CommandWalk,
  coverNested,
  coverWord,
  enterFolder,
  firstValue,
  isOutside,
  meaningsOf,
  reportNotCovered,
  reportUnknown,
  scriptProgram,
  variablesOf,
  type WordMeaning,
} from "./script-walk.ts";
import { readShellText } from "./shell-text.ts";
import type { TextCommand } from "./shell-words.ts";
import { NotApprovable, unknown } from "./word-values.ts";

const maxDepth = 6;
const maxFolders = 64;
const maxCommands = 5_000;
const maxWrappers = 10;

/** Covers what a shell text names or runs, and reports what cannot be covered. */
export function coverScript(text: string, script: ScriptWalk): void {
  if (script.depth > maxDepth) throw new NotApprovable("its scripts are nested too deeply");
  script.collector.countCharacters(text.length);
  const read = readShellText(text);
  if (read.commands.length > maxCommands) {
    const where = script.label === "" ? "it" : script.label;
    throw new NotApprovable(`${where} has more than ${maxCommands} commands`);
  }
  coverCommands(read.commands, text, script);
  for (const inner of read.scripts) coverScript(inner, { ...script, depth: script.depth + 1 });
  if (/\bglobstar\b/.test(text)) reportNotCovered("globstar", "folders below a ** are not searched", script);
}

/** The same for parsed commands. `text` is searched for functions. */
export function coverCommands(commands: readonly TextCommand[], text: string, script: ScriptWalk): void {
  const functions = new Set([...text.matchAll(/([\w-]+)\s*\(\)/g)].map(([, name = ""]) => name));
  const walk = { ...script, commands, functions, wrapped: 0, runInner, coverScript };
  // An earlier name may be relative to a folder that is found later: `cd hooks && ./check.sh`.
  for (let before = -1; before < script.folders.length; ) {
    before = script.folders.length;
    const variables = variablesOf(commands, script);
    for (const [index, command] of commands.entries()) coverCommand({ ...walk, variables, command, index });
    if (script.folders.length > maxFolders) throw new NotApprovable(`it names more than ${maxFolders} folders`);
  }
}

function coverCommand(walk: CommandWalk): void {
  const { command } = walk;
  const words = meaningsOf(command.words, walk);
  const at = words.findIndex(
    ({ values }) => !values.every((value) => programs.keywords.has(value) || /^\w+\+?=/.test(value)),
  );
  const head = words[at];
  const isCommandItself = walk.label === "";
  if (isCommandItself) {
    const counting = programs.writers.has(scriptProgram(head)) ? words.slice(0, at + 1) : words;
    for (const word of [...counting, ...meaningsOf(command.reads, walk)]) coverWord(word, walk);
    for (const word of words) coverNested(word, { ...walk, isGuess: true });
  }
  if (command.pattern) return;
  nameLoadingVariables(words, walk);
  if (head === undefined) return;
  // `$CMD` may be a whole command.
  if (!isCommandItself) coverNested(head, walk);
  runWords(words.slice(at), walk);
}

/** Covers what a command runs, from its program on. */
function runWords(words: readonly WordMeaning[], walk: CommandWalk): void {
  const [head, ...args] = words;
  if (head === undefined) return;
  const name = scriptProgram(head);
  reportUnknown(head, walk);
  const isPath = head.values.some((value) => /[/\uE000-\uE003]/.test(value));
  if (isPath) coverWord(head, walk);
  const isOwn = isPath && !isOutside(head, walk);
  for (const word of args) if (/^(?:cd|pushd)$/.test(name)) enterFolder(word, walk);
  const language = interpreterOf(name);
  if (walk.wrapped > maxWrappers) throw new NotApprovable(`it has more than ${maxWrappers} commands inside each other`);
  for (const word of args.filter(({ values }) => values.some(isProgramOption))) {
    coverWord(word, walk);
    const values = word.values.map((value) => value.slice(value.lastIndexOf("=") + 1));
    coverNested({ values }, { ...walk, isGuess: true });
  }
  // Later commands run what these name: `set -- FILE; sh $1`, `exec 3<FILE; sh <&3`.
  if (/^(?:set|hash|exec)$/.test(name))
    for (const word of [...args, ...meaningsOf(walk.command.reads, walk)]) coverWord(word, walk);
  const runsScript = name === "node" && args.some((word) => /^--run(?:=|$)/.test(firstValue(word)));
  if (programs.wrappers.has(name)) runWrapper(name, args, walk);
  else if (language === "make") {
    for (const word of args) reportUnknown(word, walk);
    coverMakefiles(args.map(firstValue), walk);
  } else if (programs.packageRunners.has(name)) {
    const texts = args.map(({ values }) => values[0] ?? unknown);
    coverPackageCall(name, texts, walk);
    runGiven(args, walk);
  } else if (runsScript) {
    const texts = args.map((word) => firstValue(word).replace(/^--run=?/, ""));
    coverPackageCall("npm", ["run", ...texts], walk);
  } else if (language !== undefined) runInterpreter(name, language, args, walk);
  else if (walk.functions.has(name)) runInner(args, walk);
  else if (!isOwn && !programs.plain.has(name) && name !== "" && !/[\s\uE000-\uE003]/.test(name)) {
    ordinaryProgram(name, walk);
    runGiven(args, walk);
    if (programs.fileRunners.has(name)) for (const word of args) coverWord(word, walk);
  }
}

function runInner(words: readonly WordMeaning[], walk: CommandWalk): void {
  runWords(words, { ...walk, wrapped: walk.wrapped + 1 });
}

/** `uv run python3 FILE`, `docker run IMAGE node FILE`: an interpreter among the arguments may be started with the arguments after it. */
function runGiven(args: readonly WordMeaning[], walk: CommandWalk): void {
  const at = args.findIndex((word) => isStartedByName(scriptProgram(word)));
  if (at >= 0) runInner(args.slice(at), walk);
}

/** A program of the system or of a package: what it loads on its own is unknown. */
function ordinaryProgram(name: string, script: ScriptWalk): void {
  for (const folder of script.folders)
    if (script.collector.cover(join(folder, name)) === "file" && script.label === "") return;
  const found = packageOfProgram(name, script);
  if (found === "covered" || script.isGuess) return;
  const why = "what this program loads from the folder on its own, such as its configuration";
  reportNotCovered(found ?? name, why, script);
}

/** `PATH=tools:$PATH`, `PERL5OPT=-MName`: what programs load or start because of it is not followed; files that it names are covered. */
function nameLoadingVariables(words: readonly WordMeaning[], script: ScriptWalk): void {
  for (const word of words) {
    const { raw, values } = word;
    const [, name = ""] = /^([A-Za-z_]\w*)\+?=/.exec(raw) ?? [];
    // A shell runs this file first.
    if (/^(?:BASH_)?ENV$/.test(name)) coverWord(word, script, "shell");
    if (!/(?:PATH|LIB|OPTS?|OPTIONS|FLAGS)$/.test(name) || !isGuarded(name)) continue;
    const parts = values.flatMap((value) => value.slice(value.indexOf("=") + 1).split(":"));
    const isElsewhere = (part: string): boolean =>
      part === unknown || (isAbsolute(part) && insidePath(part, script.collector.checkout) === undefined);
    if (!parts.every(isElsewhere))
      reportNotCovered(raw, "what programs load or start because of it, apart from files that it names", script);
  }
}
