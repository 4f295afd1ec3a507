import { basename, join } from "node:path";
import type { ScriptWalk } from "./gather-files.ts";
import { foldersUp } from "./javascript.ts";
import { coverBun, coverDenoTask } from "./package-scripts.ts";
import { interpreterOf, type Language, programs } from "./program-kinds.ts";
import { pythonModuleFiles } from "./python.ts";
import {
  type CommandWalk,
  coverNested,
  coverWord,
  firstValue,
  isOutside,
  meaningsOf,
  reportNotCovered,
  reportUnknown,
  scriptProgram,
  type WordMeaning,
} from "./script-walk.ts";
import type { TextCommand } from "./shell-words.ts";
import { entriesOf, expandPattern, filesBelow, matchesText, unknown } from "./word-values.ts";

/** Files and commands in the arguments of `env`, `xargs`, `find` and the like: any of them may be run. */
export function runWrapper(name: string, args: readonly WordMeaning[], walk: CommandWalk): void {
  const inner =
    name === "find"
      ? afterExec(args)
      : args.slice(args.findIndex((word, at) => isCommandWord(word) && !isXargsValue(name, args[at - 1])));
  const program = scriptProgram(inner[0]);
  const runs =
    interpreterOf(program) !== undefined || programs.wrappers.has(program) || /[/{]/.test(firstValue(inner[0]));
  for (const word of args) {
    if (name !== "find") coverWord(word, walk);
    coverNested(word, walk);
  }
  if (name === "run-parts")
    coverFolders(args, (folder) => entriesOf(folder).map((entry) => join(folder, entry.name)), walk);
  if (name === "find" && runs) coverFound(args, interpreterOf(program), walk);
  if (name === "xargs" && runs) runXargs(program, args, walk);
  if (inner.length > 0 && name !== "run-parts") walk.runInner(inner, walk);
}

/** `xargs` reads the names of files to run. They are known when the program before it prints file names or plain text. */
function runXargs(program: string, args: readonly WordMeaning[], walk: CommandWalk): void {
  const why = "which files it will run is not known in advance";
  for (const before of pipelineOf(walk)) {
    coverGiven(before, interpreterOf(program), walk);
    const source = scriptProgram(meaningsOf(before.words, walk)[0]);
    if (!programs.namePrinters.has(source)) reportNotCovered(`${source} … | xargs ${program}`, why, walk);
  }
  const readsFile = args.some((word) => /^-[0oprtx]*a|^--a/.test(firstValue(word)));
  if (readsFile || walk.command.reads.length > 0) reportNotCovered(`xargs ${program}`, why, walk);
}

/** The first argument that is neither an option, nor an assignment, nor a number such as a time. */
function isCommandWord({ values }: WordMeaning): boolean {
  return !values.every((value) => /^-|^\w+=|^\d[\d.]*[smhd]?$/.test(value));
}

/** Whether the word after this one is the value of an option of `xargs`. */
function isXargsValue(name: string, before: WordMeaning | undefined): boolean {
  return name === "xargs" && /^-[0oprtx]*[adEILnPs]$|^--(?:a|d|max-[acp]|pro)[\w-]*$/.test(firstValue(before));
}

function afterExec(args: readonly WordMeaning[]): readonly WordMeaning[] {
  const at = args.findIndex((word) => /^-(?:exec|execdir|ok|okdir)$/.test(firstValue(word)));
  return at < 0 ? [] : args.slice(at + 1);
}

/** `find DIR -name X -exec …`: every file it can find. A single `-name` narrows that down, and nothing else does. */
function coverFound(args: readonly WordMeaning[], language: Language | undefined, walk: CommandWalk): void {
  const texts = args.map(firstValue);
  const at = texts.findIndex((text) => /^[-!(]/.test(text));
  const start = at < 0 ? texts.length : at;
  const tests = texts.slice(start);
  const isNarrow =
    tests.filter((text) => /^-i?name$/.test(text)).length === 1 &&
    !tests.some((text) => /^(?:-o|-or|!|-not|,|\\?\()$/.test(text));
  const wanted = isNarrow && tests.includes("-name") ? tests[tests.indexOf("-name") + 1] : undefined;
  const below = (folder: string) =>
    filesBelow(folder).filter((file) => wanted === undefined || matchesText(wanted, basename(file)));
  const roots = args.slice(0, start).filter(({ values }) => !/^-/.test(values[0] ?? "-"));
  coverFolders(roots.length > 0 ? roots : [{ raw: ".", values: ["."] }], below, walk, language);
}

function coverFolders(
  words: readonly WordMeaning[],
  filesOf: (folder: string) => readonly string[],
  { folders, collector }: ScriptWalk,
  language?: Language,
): void {
  for (const folder of [...folders])
    for (const { values } of words)
      for (const value of values)
        for (const place of expandPattern(value, folder))
          for (const file of filesOf(place)) collector.cover(file, language);
}

/** The commands whose output a command reads, nearest last. */
function pipelineOf({ commands, index }: CommandWalk): readonly TextCommand[] {
  let first = index;
  while (commands[first]?.piped === true) first -= 1;
  return commands.slice(first, index);
}

/** What a command pipes into an interpreter: files, names of files in folders, text. */
function coverGiven(command: TextCommand, language: Language | undefined, walk: CommandWalk): void {
  const words = meaningsOf(command.words, walk);
  for (const word of [...words.slice(1), ...meaningsOf(command.reads, walk)]) {
    coverWord(word, walk, language);
    coverNested(word, walk);
  }
  coverFolders(words.slice(1), filesBelow, walk, language);
}

/** An interpreter: the file it runs, what it loads in addition, and text that it runs as a program. */
export function runInterpreter(
  name: string,
  language: Language,
  args: readonly WordMeaning[],
  walk: CommandWalk,
): void {
  const { command } = walk;
  const runsOnlyOptionFile = programs.optionFileRunners.has(name);
  const at = args.findIndex(({ values }) => !values.every((value) => value.startsWith("-") || value.startsWith("+")));
  const operand = args[at];
  for (const [position, word] of args.entries()) {
    const follows = /^(?:-f|--file|--from-file)$/.test(firstValue(args[position - 1]));
    if (runsOnlyOptionFile && !follows && !/^-f/.test(firstValue(word))) continue;
    coverWord(word, walk, language);
    if (position <= at || at < 0) reportUnknown(word, walk);
    if (language === "shell") coverNested(word, walk);
  }
  if (operand !== undefined && isOutside(operand, walk))
    reportNotCovered(operand.raw, "it is outside the folder", walk);
  coverModules(name, args, language, walk);
  coverOwnLoads(name, args, walk);
  for (const body of command.bodies) coverInline(name, body, language, walk);
  const inline = args.findIndex((word) => /^-\w*[ce]$|^--(?:eval|print|command)$/.test(firstValue(word)));
  const texts = inline < 0 || language === "shell" ? [] : (args[inline + 1]?.values ?? []);
  const attached = args.flatMap((word) => (language === "python" && /^-c(.+)/s.exec(firstValue(word))?.[1]) || []);
  for (const text of [...texts, ...attached]) coverInline(name, text, language, walk);
  const readsInput = operand === undefined || operand.values[0] === "-";
  if (!readsInput || runsOnlyOptionFile || name === "." || name === "source") return;
  for (const word of meaningsOf(command.reads, walk)) {
    coverWord(word, walk, language);
    // A here-string is the program itself.
    if (language === "shell") coverNested(word, walk);
    else for (const value of word.values) if (/\s|\(/.test(value)) coverInline(name, value, language, walk);
  }
  for (const before of pipelineOf(walk)) {
    coverGiven(before, language, walk);
    for (const body of before.bodies) coverInline(name, body, language, walk);
    const [head, ...rest] = meaningsOf(before.words, walk);
    const source = scriptProgram(head);
    if (!programs.inputPassers.has(source))
      reportNotCovered(`${source} … | ${name}`, "its input is not known in advance", walk);
    for (const word of rest) reportUnknown(word, walk);
  }
}

/** A program passed as text. */
function coverInline(name: string, text: string, language: Language, walk: CommandWalk): void {
  if (language === "shell") {
    walk.coverScript(text, { ...walk, depth: walk.depth + 1 });
    return;
  }
  const { folders, collector, label } = walk;
  const place = join(folders[0] ?? collector.from, `.inline-${name}`);
  const path = `${label === "" ? "" : `${label}: `}${name} -e`;
  collector.toSearch.push({ place, path, text, language, folders });
}

/** `python -m NAME`, `perl -MName`, `ruby -rname`. */
function coverModules(name: string, args: readonly WordMeaning[], language: Language, script: ScriptWalk): void {
  const texts = args.flatMap(({ values }) => values);
  const isRuby = /^ruby[\d.]*$/.test(name);
  for (const [index, text] of texts.entries()) {
    const module = (isRuby ? /^-\w*r$/ : /^-\w*m$/).test(text)
      ? texts[index + 1]
      : (isRuby ? /^-r(.+)/ : /^-[mM](.+)/).exec(text)?.[1];
    if (module === undefined) continue;
    const files = (folder: string) =>
      language === "python"
        ? pythonModuleFiles(module, folder, folder)
        : [join(folder, `${module.replaceAll("::", "/")}.pm`), join(folder, `${module}.rb`)];
    const found = script.folders.flatMap(files).filter((file) => script.collector.cover(file, language) === "file");
    const call = `${name} -${isRuby ? "r" : "m"} ${module}`;
    if (found.length === 0) reportNotCovered(call, "no file in the folder provides this module", script);
  }
}

/** What an interpreter finds on its own: settings that make it load more, tasks, tests. */
function coverOwnLoads(name: string, args: readonly WordMeaning[], script: ScriptWalk): void {
  const texts = args.map(({ values }) => values[0] ?? unknown);
  for (const folder of script.folders)
    for (const at of foldersUp(folder, script.collector.checkout))
      for (const file of settingsOf[name] ?? []) script.collector.cover(join(at, file));
  if (name === "deno" && texts[0] === "task") coverDenoTask(texts, script);
  if (name === "bun") coverBun(texts, script);
  if (/^(?:node|bun|deno)$/.test(name) && texts.some((text) => /^(?:--test|test)$/.test(text)))
    reportNotCovered(`${name} ${texts.join(" ").replaceAll(unknown, "…")}`, "the tests that it discovers", script);
  const hasClassPath = texts.some((text) => /^(?:-cp|-classpath|--class-path|-p|--module-path)/.test(text));
  if (name === "java" && (!texts.includes("-jar") || hasClassPath))
    reportNotCovered("java", "the classes that it finds on its class path", script);
}

const settingsOf: Readonly<Record<string, readonly string[]>> = {
  deno: ["deno.json", "deno.jsonc"],
  bun: ["bunfig.toml", "tsconfig.json"],
  tsx: ["tsconfig.json"],
  "ts-node": ["tsconfig.json"],
};
