import { join } from "node:path";
import { entriesOf, expandPattern, filesBelow, matchesText } from "./expand-pattern.ts";
import type { Gathering } from "./gather-files.ts";
import { coverModules, coverOwnLoads, nameLoadingVariables } from "./interpreter-loads.ts";
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
  type Language,
  onlyWrites,
  passesOn,
  printsNames,
  runsFiles,
  runsOnlyOptionFile,
} from "./program-kinds.ts";
import {
  coverWord,
  enterFolder,
  isOutside,
  leaveOut,
  type Meant,
  mustBeKnown,
  type Script,
  valueContext,
  variablesOf,
  type Walk,
} from "./script-walk.ts";
import { readShellText, type TextCommand, type TextWord } from "./shell-text.ts";
import { TooMany, unknown, valuesOf } from "./word-values.ts";

const deepest = 6;
const mostFolders = 64;
const mostCommands = 5_000;
const mostWrappers = 10;

/** Covers what a shell text names or runs, and says what of it cannot be covered. */
export function coverScript(text: string, script: Script, gathering: Gathering): void {
  if (script.depth > deepest) throw new TooMany("its scripts are nested deeper than can be looked at");
  gathering.count(text);
  const read = readShellText(text);
  if (read.commands.length > mostCommands) {
    const where = script.label === "" ? "it" : script.label;
    throw new TooMany(`${where} has more than ${mostCommands} commands`);
  }
  coverCommands(read.commands, text, script, gathering);
  for (const inner of read.scripts) coverScript(inner, { ...script, depth: script.depth + 1 }, gathering);
  if (/\bglobstar\b/.test(text)) leaveOut("globstar", "folders below a ** are not searched", script, gathering);
}

/** The same for commands that were read already. `text` is where functions are looked for. */
export function coverCommands(
  commands: readonly TextCommand[],
  text: string,
  script: Script,
  gathering: Gathering,
): void {
  const variables = variablesOf(commands, script, gathering);
  const functions = new Set([...text.matchAll(/([\w-]+)\s*\(\)/g)].map(([, name = ""]) => name));
  const walk: Walk = { commands, functions, script: { ...script, variables }, gathering };
  // A folder named late may be the one that an earlier name counts from: `cd hooks && ./check.sh`.
  for (let before = -1; before < script.folders.length; ) {
    before = script.folders.length;
    for (const index of commands.keys()) coverCommand(index, walk);
    if (script.folders.length > mostFolders) throw new TooMany(`it names more than ${mostFolders} folders`);
  }
}

function coverCommand(index: number, walk: Walk): void {
  const command = walk.commands[index];
  if (command === undefined) return;
  const words = meant(command.words, walk);
  const head = words.find(({ values }) => !values.every((value) => isKeyword(value) || isAssignment(value)));
  const name = programName(head);
  if (walk.script.mode === "named") {
    const counting = onlyWrites(name) ? words.slice(0, words.indexOf(head ?? nothing) + 1) : words;
    for (const word of [...counting, ...meant(command.reads, walk)]) coverWord(word, undefined, walk);
    for (const { values } of words) for (const value of values) coverNested(value, guessing(walk));
  }
  if (command.pattern) return;
  nameLoadingVariables(words, walk);
  if (head === undefined) return;
  // `$CMD` may be a whole command.
  if (walk.script.mode === "run") for (const value of head.values) coverNested(value, walk);
  runWords(words.slice(words.indexOf(head)), index, walk);
}

/** The same for a text that may be no command at all. */
function guessing(walk: Walk): Walk {
  return { ...walk, script: { ...walk.script, isGuess: true } };
}

const nothing: Meant = { raw: "", values: [] };

function meant(words: readonly TextWord[], { script, gathering }: Walk): readonly Meant[] {
  const context = valueContext(script, gathering);
  return words.map((word) => ({ raw: word.raw, values: valuesOf(word, context) }));
}

function isAssignment(value: string): boolean {
  return /^\w+\+?=/.test(value);
}

function programName(head: Meant | undefined): string {
  const [value = ""] = head?.values ?? [];
  return value.slice(value.lastIndexOf("/") + 1);
}

/** A command from its first word on: what it runs, what it starts in turn. */
function runWords(words: readonly Meant[], index: number, walk: Walk, wrapped = 0): void {
  const [head, ...args] = words;
  if (head === undefined) return;
  const { script, gathering } = walk;
  const name = programName(head);
  mustBeKnown(head, walk);
  const isPath = head.values.some((value) => /[/\uE000-\uE003]/.test(value));
  if (isPath) coverWord(head, undefined, walk);
  const isOwn = isPath && !isOutside(head, walk);
  for (const word of args) if (/^(?:cd|pushd)$/.test(name)) enterFolder(word, walk);
  const language = interpreterOf(name);
  if (wrapped > mostWrappers) throw new TooMany(`it has more than ${mostWrappers} commands inside each other`);
  for (const word of args.filter(({ values }) => values.some(isProgramOption))) {
    coverWord(word, undefined, walk);
    for (const value of word.values) coverNested(value.slice(value.lastIndexOf("=") + 1), guessing(walk));
  }
  // Later commands run what these name: `set -- FILE; sh $1`, `exec 3<FILE; sh <&3`.
  if (/^(?:set|hash|exec)$/.test(name))
    for (const word of [...args, ...meant(walk.commands[index]?.reads ?? [], walk)]) coverWord(word, undefined, walk);
  if (isWrapper(name)) runWrapped(name, args, index, walk, wrapped);
  else if (language === "make") {
    for (const word of args) mustBeKnown(word, walk);
    coverMakefiles(
      args.map(({ values }) => values[0] ?? ""),
      script,
      gathering,
    );
  } else if (isPackageRunner(name)) {
    coverPackageCall(
      name,
      args.map(({ values }) => values[0] ?? unknown),
      script,
      gathering,
    );
    runGiven(args, index, walk, wrapped);
  } else if (name === "node" && args.some(({ values }) => /^--run(?:=|$)/.test(values[0] ?? "")))
    coverPackageCall(
      "npm",
      ["run", ...args.flatMap(({ values }) => (values[0] ?? "").replace(/^--run=?/, ""))],
      script,
      gathering,
    );
  else if (language !== undefined) runInterpreter(name, language, args, index, walk);
  else if (walk.functions.has(name)) runWords(args, index, walk, wrapped + 1);
  else if (!isOwn && !isPlain(name) && name !== "" && !/[\s\uE000-\uE003]/.test(name)) {
    ordinaryProgram(name, walk);
    runGiven(args, index, walk, wrapped);
    if (runsFiles(name)) for (const word of args) coverWord(word, undefined, walk);
  }
}

/** `uv run python3 FILE`, `docker run IMAGE node FILE`: an interpreter among the arguments may be started with those behind it. */
function runGiven(args: readonly Meant[], index: number, walk: Walk, wrapped: number): void {
  const at = args.findIndex((word) => isStartedByName(programName(word)));
  if (at >= 0) runWords(args.slice(at), index, walk, wrapped + 1);
}

/** A program of the system or of a package: what it loads by itself is unknown here. */
function ordinaryProgram(name: string, { script, gathering }: Walk): void {
  for (const folder of script.folders)
    if (gathering.cover(join(folder, name)) === "file" && script.mode === "named") return;
  const found = packageOfProgram(name, script, gathering);
  if (found === "covered" || script.isGuess) return;
  leaveOut(
    found ?? name,
    "what this program loads from the folder by itself, such as its configuration",
    script,
    gathering,
  );
}

/** Files and commands in the arguments of `env`, `xargs`, `find` and the like: any of them may be run. */
function runWrapped(name: string, args: readonly Meant[], index: number, walk: Walk, wrapped: number): void {
  const inner = name === "find" ? afterExec(args) : args.slice(args.findIndex(isCommandWord));
  const program = programName(inner[0]);
  const runs = interpreterOf(program) !== undefined || isWrapper(program) || /[/{]/.test(inner[0]?.values[0] ?? "");
  for (const word of args) {
    if (name !== "find") coverWord(word, undefined, walk);
    for (const value of word.values) coverNested(value, walk);
  }
  if (name === "run-parts")
    coverFolders(args, (folder) => entriesOf(folder).map((entry) => join(folder, entry.name)), walk);
  if (name === "find" && runs) coverFound(args, interpreterOf(program), walk);
  if (name === "xargs" && runs) runXargs(program, args, index, walk);
  if (inner.length > 0 && name !== "run-parts") runWords(inner, index, walk, wrapped + 1);
}

/** Names that `xargs` reads are those of files to run; they are known where a program prints names of a folder or plain text. */
function runXargs(program: string, args: readonly Meant[], index: number, walk: Walk): void {
  const { script, gathering } = walk;
  const why = "which files it is given to run is not known beforehand";
  for (const before of pipeline(index, walk)) {
    coverGiven(before, interpreterOf(program), walk);
    const source = programName(meant(before.words, walk)[0]);
    if (!printsNames(source)) leaveOut(`${source} … | xargs ${program}`, why, script, gathering);
  }
  const readsFile = args.some(({ values }) => /^(?:-a|--arg-file)/.test(values[0] ?? ""));
  if (readsFile || (walk.commands[index]?.reads ?? []).length > 0) leaveOut(`xargs ${program}`, why, script, gathering);
}

/** The first argument that is neither an option, nor an assignment, nor a number such as a time. */
function isCommandWord({ values }: Meant): boolean {
  return !values.every((value) => /^-|^\w+=|^\d[\d.]*[smhd]?$/.test(value));
}

function afterExec(args: readonly Meant[]): readonly Meant[] {
  const at = args.findIndex(({ values }) => /^-(?:exec|execdir|ok|okdir)$/.test(values[0] ?? ""));
  return at < 0 ? [] : args.slice(at + 1);
}

/** `find DIR -name X -exec …`: every file it can find. A single `-name` narrows that down, and nothing else does. */
function coverFound(args: readonly Meant[], language: Language | undefined, walk: Walk): void {
  const texts = args.map(({ values }) => values[0] ?? "");
  const start = texts.findIndex((text) => /^[-!(]/.test(text));
  const tests = texts.slice(start < 0 ? texts.length : start);
  const isNarrow =
    tests.filter((text) => /^-i?name$/.test(text)).length === 1 &&
    !tests.some((text) => /^(?:-o|-or|!|-not|,|\\?\()$/.test(text));
  const wanted = isNarrow ? tests[tests.indexOf("-name") + 1] : undefined;
  const below = (folder: string) =>
    filesBelow(folder).filter(
      (file) =>
        wanted === undefined || !tests.includes("-name") || matchesText(wanted, file.slice(file.lastIndexOf("/") + 1)),
    );
  const roots = args.slice(0, start < 0 ? args.length : start).filter(({ values }) => !/^-/.test(values[0] ?? "-"));
  coverFolders(roots.length > 0 ? roots : [{ raw: ".", values: ["."] }], below, walk, language);
}

function coverFolders(
  words: readonly Meant[],
  filesOf: (folder: string) => readonly string[],
  { script, gathering }: Walk,
  language?: Language,
): void {
  for (const folder of [...script.folders])
    for (const { values } of words)
      for (const value of values)
        for (const place of expandPattern(value, folder))
          for (const file of filesOf(place)) gathering.cover(file, language);
}

/** The commands that feed one, nearest last. */
function pipeline(index: number, { commands }: Walk): readonly TextCommand[] {
  let first = index;
  while (commands[first]?.piped === true) first -= 1;
  return commands.slice(first, index);
}

/** What a command passes on to one that runs it: files, names of files in folders, text. */
function coverGiven(command: TextCommand, language: Language | undefined, walk: Walk): void {
  const words = meant(command.words, walk);
  for (const word of [...words.slice(1), ...meant(command.reads, walk)]) {
    coverWord(word, language, walk);
    for (const value of word.values) coverNested(value, walk);
  }
  coverFolders(words.slice(1), filesBelow, walk, language);
}

/** An interpreter: the file it runs, what it loads beside it, and text that it takes for a program. */
function runInterpreter(name: string, language: Language, args: readonly Meant[], index: number, walk: Walk): void {
  const { script, gathering } = walk;
  const command = walk.commands[index];
  const at = args.findIndex(({ values }) => !values.every((value) => value.startsWith("-") || value.startsWith("+")));
  const operand = args[at];
  for (const [position, word] of args.entries()) {
    const follows = /^(?:-f|--file|--from-file)$/.test(args[position - 1]?.values[0] ?? "");
    if (runsOnlyOptionFile(name) && !follows && !/^-f/.test(word.values[0] ?? "")) continue;
    coverWord(word, language, walk);
    if (position <= at || at < 0) mustBeKnown(word, walk);
    if (language === "shell") for (const value of word.values) coverNested(value, walk);
  }
  if (operand !== undefined && isOutside(operand, walk))
    leaveOut(operand.raw, "it lies outside the folder", script, gathering);
  coverModules(name, args, language, walk);
  coverOwnLoads(name, args, walk);
  for (const body of command?.bodies ?? []) coverInline(name, body, language, walk);
  const inline = args.findIndex(({ values }) => /^-\w*[ce]$|^--(?:eval|print|command)$/.test(values[0] ?? ""));
  const text = inline < 0 ? undefined : args[inline + 1];
  if (text !== undefined && language !== "shell")
    for (const value of text.values) coverInline(name, value, language, walk);
  const attached = language === "python" ? args.map(({ values }) => /^-c(.+)/s.exec(values[0] ?? "")?.[1]) : [];
  for (const value of attached) if (value !== undefined) coverInline(name, value, language, walk);
  const readsInput = operand === undefined || operand.values[0] === "-";
  if (!readsInput || runsOnlyOptionFile(name) || name === "." || name === "source") return;
  for (const word of meant(command?.reads ?? [], walk)) {
    coverWord(word, language, walk);
    // A here-string is the program itself.
    for (const value of word.values)
      if (language === "shell") coverNested(value, walk);
      else if (/\s|\(/.test(value)) coverInline(name, value, language, walk);
  }
  for (const before of pipeline(index, walk)) {
    coverGiven(before, language, walk);
    for (const body of before.bodies) coverInline(name, body, language, walk);
    const source = programName(meant(before.words, walk)[0]);
    if (!passesOn(source))
      leaveOut(`${source} … | ${name}`, "what it is given to run is not known beforehand", script, gathering);
    for (const word of meant(before.words, walk).slice(1)) mustBeKnown(word, walk);
  }
}

/** A program that is given as text. */
function coverInline(name: string, text: string, language: Language, { script, gathering }: Walk): void {
  const place = join(script.folders[0] ?? gathering.from, `.inline-${name}`);
  if (language === "shell") coverScript(text, { ...script, depth: script.depth + 1 }, gathering);
  else
    gathering.unsearched.push({
      place,
      path: `${script.label === "" ? "" : `${script.label}: `}${name} -e`,
      text,
      language,
      folders: script.folders,
    });
}

/** A text that may itself be a command: `bash -c 'node hooks/check.js'`. */
function coverNested(value: string, { script, gathering }: Walk): void {
  if (/[\s;|&()`<>'"]/.test(value)) coverScript(value, { ...script, depth: script.depth + 1 }, gathering);
}
