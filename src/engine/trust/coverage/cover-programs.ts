import { join } from "node:path";
import { entriesOf, expandPattern, filesBelow, matchesText } from "./expand-pattern.ts";
import { coverModules, coverOwnLoads } from "./interpreter-loads.ts";
import { interpreterOf, isWrapper, type Language, passesOn, printsNames, runsOnlyOptionFile } from "./program-kinds.ts";
import {
  type CommandWalk,
  coverNested,
  coverWord,
  isOutside,
  meaningsOf,
  programName,
  reportNotCovered,
  reportUnknown,
  type WordMeaning,
} from "./script-walk.ts";
import type { TextCommand } from "./shell-words.ts";

/** Files and commands in the arguments of `env`, `xargs`, `find` and the like: any of them may be run. */
export function runWrapper(
  name: string,
  args: readonly WordMeaning[],
  index: number,
  walk: CommandWalk,
  wrapped: number,
): void {
  const inner = name === "find" ? afterExec(args) : args.slice(args.findIndex(isCommandWord));
  const program = programName(inner[0]);
  const runs = interpreterOf(program) !== undefined || isWrapper(program) || /[/{]/.test(inner[0]?.values[0] ?? "");
  for (const word of args) {
    if (name !== "find") coverWord(word, walk);
    for (const value of word.values) coverNested(value, walk);
  }
  if (name === "run-parts")
    coverFolders(args, (folder) => entriesOf(folder).map((entry) => join(folder, entry.name)), walk);
  if (name === "find" && runs) coverFound(args, interpreterOf(program), walk);
  if (name === "xargs" && runs) runXargs(program, args, index, walk);
  if (inner.length > 0 && name !== "run-parts") walk.runWords(inner, index, walk, wrapped + 1);
}

/** `xargs` reads the names of files to run. They are known when the program before it prints file names or plain text. */
function runXargs(program: string, args: readonly WordMeaning[], index: number, walk: CommandWalk): void {
  const { script } = walk;
  const why = "which files it will run is not known in advance";
  for (const before of pipeline(index, walk)) {
    coverGiven(before, interpreterOf(program), walk);
    const source = programName(meaningsOf(before.words, walk)[0]);
    if (!printsNames(source)) reportNotCovered(`${source} … | xargs ${program}`, why, script);
  }
  const readsFile = args.some(({ values }) => /^(?:-a|--arg-file)/.test(values[0] ?? ""));
  if (readsFile || (walk.commands[index]?.reads ?? []).length > 0) reportNotCovered(`xargs ${program}`, why, script);
}

/** The first argument that is neither an option, nor an assignment, nor a number such as a time. */
function isCommandWord({ values }: WordMeaning): boolean {
  return !values.every((value) => /^-|^\w+=|^\d[\d.]*[smhd]?$/.test(value));
}

function afterExec(args: readonly WordMeaning[]): readonly WordMeaning[] {
  const at = args.findIndex(({ values }) => /^-(?:exec|execdir|ok|okdir)$/.test(values[0] ?? ""));
  return at < 0 ? [] : args.slice(at + 1);
}

/** `find DIR -name X -exec …`: every file it can find. A single `-name` narrows that down, and nothing else does. */
function coverFound(args: readonly WordMeaning[], language: Language | undefined, walk: CommandWalk): void {
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
  words: readonly WordMeaning[],
  filesOf: (folder: string) => readonly string[],
  { script }: CommandWalk,
  language?: Language,
): void {
  for (const folder of [...script.folders])
    for (const { values } of words)
      for (const value of values)
        for (const place of expandPattern(value, folder))
          for (const file of filesOf(place)) script.collector.cover(file, language);
}

/** The commands whose output a command reads, nearest last. */
function pipeline(index: number, { commands }: CommandWalk): readonly TextCommand[] {
  let first = index;
  while (commands[first]?.piped === true) first -= 1;
  return commands.slice(first, index);
}

/** What a command pipes into an interpreter: files, names of files in folders, text. */
function coverGiven(command: TextCommand, language: Language | undefined, walk: CommandWalk): void {
  const words = meaningsOf(command.words, walk);
  for (const word of [...words.slice(1), ...meaningsOf(command.reads, walk)]) {
    coverWord(word, walk, language);
    for (const value of word.values) coverNested(value, walk);
  }
  coverFolders(words.slice(1), filesBelow, walk, language);
}

/** An interpreter: the file it runs, what it loads in addition, and text that it runs as a program. */
export function runInterpreter(
  name: string,
  language: Language,
  args: readonly WordMeaning[],
  index: number,
  walk: CommandWalk,
): void {
  const { script } = walk;
  const command = walk.commands[index];
  const at = args.findIndex(({ values }) => !values.every((value) => value.startsWith("-") || value.startsWith("+")));
  const operand = args[at];
  for (const [position, word] of args.entries()) {
    const follows = /^(?:-f|--file|--from-file)$/.test(args[position - 1]?.values[0] ?? "");
    if (runsOnlyOptionFile(name) && !follows && !/^-f/.test(word.values[0] ?? "")) continue;
    coverWord(word, walk, language);
    if (position <= at || at < 0) reportUnknown(word, walk);
    if (language === "shell") for (const value of word.values) coverNested(value, walk);
  }
  if (operand !== undefined && isOutside(operand, walk))
    reportNotCovered(operand.raw, "it is outside the folder", script);
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
  for (const word of meaningsOf(command?.reads ?? [], walk)) {
    coverWord(word, walk, language);
    // A here-string is the program itself.
    for (const value of word.values)
      if (language === "shell") coverNested(value, walk);
      else if (/\s|\(/.test(value)) coverInline(name, value, language, walk);
  }
  for (const before of pipeline(index, walk)) {
    coverGiven(before, language, walk);
    for (const body of before.bodies) coverInline(name, body, language, walk);
    const source = programName(meaningsOf(before.words, walk)[0]);
    if (!passesOn(source)) reportNotCovered(`${source} … | ${name}`, "its input is not known in advance", script);
    for (const word of meaningsOf(before.words, walk).slice(1)) reportUnknown(word, walk);
  }
}

/** A program passed as text. */
function coverInline(name: string, text: string, language: Language, walk: CommandWalk): void {
  const { script } = walk;
  const place = join(script.folders[0] ?? script.collector.from, `.inline-${name}`);
  if (language === "shell") walk.coverScript(text, { ...script, depth: script.depth + 1 });
  else
    script.collector.toSearch.push({
      place,
      path: `${script.label === "" ? "" : `${script.label}: `}${name} -e`,
      text,
      language,
      folders: script.folders,
    });
}
