import { dirname, isAbsolute, join } from "node:path";
import { insidePath, possiblePaths, type ScriptWalk } from "./gather-files.ts";
import { moduleFiles } from "./javascript.ts";
import type { Language } from "./program-kinds.ts";
import type { TextCommand, TextWord } from "./shell-words.ts";
import {
  expandPattern,
  holdsPatternSign,
  isPositionalParameter,
  type KnownVariables,
  printable,
  unknown,
  type ValueContext,
  valuesOf,
} from "./word-values.ts";

function valueContext({ variables, folders, file, collector: { checkout } }: ScriptWalk): ValueContext {
  return {
    variables,
    folders,
    home: checkout.home,
    printed(text) {
      const plain = text.replaceAll(/["']|\s*2>\s*\/dev\/null/g, "").trim();
      if (/^pwd(?: -[LP])?$/.test(plain)) return ".";
      if (/^git rev-parse --show-toplevel(?:\s*\|\|.*)?$/.test(plain)) return checkout.real;
      const own = /dirname (?:-- )?\$(?:0|\{?BASH_SOURCE(?:\[0\])?\}?)\)?((?:\/[\w.-]+)*)/.exec(plain);
      return own === null || file === undefined ? undefined : join(dirname(file), own[1] ?? "");
    },
  };
}

export function reportNotCovered(what: string, why: string, { label, collector }: ScriptWalk): void {
  collector.reportNotCovered(label === "" ? what : `${label}: ${what}`, why);
}

/** One command of a shell text that is analyzed. */
export interface CommandWalk extends ScriptWalk {
  readonly command: TextCommand;
  /** All commands of the text, and the number of this one. */
  readonly commands: readonly TextCommand[];
  readonly index: number;
  /** The functions of the text. */
  readonly functions: ReadonlySet<string>;
  /** How many wrappers, such as `env`, are around the program. */
  readonly wrapped: number;
  /** Covers a command that is an argument of this one. */
  runInner(words: readonly WordMeaning[], walk: CommandWalk): void;
  coverScript(text: string, script: ScriptWalk): void;
}

/** A word with every value it may have. */
export interface WordMeaning {
  readonly raw: string;
  readonly values: readonly string[];
}

/** The first value that a word may have; empty when there is none. */
export function firstValue(word: WordMeaning | undefined): string {
  return word?.values[0] ?? "";
}

/** A word that may itself be a command: `bash -c 'node hooks/check.js'`. */
export function coverNested({ values }: Pick<WordMeaning, "values">, walk: CommandWalk): void {
  for (const value of values)
    if (/[\s;|&()`<>'"]/.test(value)) walk.coverScript(value, { ...walk, depth: walk.depth + 1 });
}

/** The words of a command with every value that each may have. */
export function meaningsOf(words: readonly TextWord[], script: ScriptWalk): readonly WordMeaning[] {
  const context = valueContext(script);
  return words.map((word) => ({ raw: word.raw, values: valuesOf(word, context) }));
}

/** The name of the program that a word starts, without its folder. */
export function scriptProgram(head: WordMeaning | undefined): string {
  const value = firstValue(head);
  return value.slice(value.lastIndexOf("/") + 1);
}

/** The folders of a script, and folders that options such as `-C` name from there. */
export function foldersWith(names: readonly string[], { folders }: ScriptWalk): string[] {
  return [...folders, ...folders.flatMap((folder) => names.flatMap((name) => expandPattern(name, folder)))];
}

/** Covers a shell text that is a part of a file, such as a script of package.json, and later what it runs. */
export function coverPartOfFile(path: string, text: string, folder: string, script: ScriptWalk): void {
  const inner: ScriptWalk = { ...script, label: path, folders: [folder], depth: 0 };
  if (script.collector.coverText(path, text)) script.collector.scripts.push({ text, script: inner });
}

/** Covers every file that a word may name. */
export function coverWord({ values }: WordMeaning, script: ScriptWalk, language?: Language): void {
  for (const value of values)
    for (const path of pathsIn(value))
      for (const folder of [...script.folders])
        for (const place of placesFor(path, folder)) coverPlace(place, language, script);
}

/** Whether a word is a whole path that leads out of the folder. */
export function isOutside({ values }: WordMeaning, { collector }: ScriptWalk): boolean {
  return values.some((value) => isAbsolute(value) && insidePath(value, collector.checkout) === undefined);
}

/** A word as a path, and the paths inside it: `--config=x`, `@x`, `file:x` and `-fx` name x. */
function pathsIn(value: string): readonly string[] {
  const attached = /^-[A-Za-z](.+)/s.exec(value)?.[1];
  const pieces = [value, ...value.split(/[=,:@]/), ...(attached === undefined ? [] : [attached])];
  return [...new Set(pieces)].filter((path) => path !== "" && path.length < 4_096 && !path.includes("\0"));
}

function placesFor(path: string, folder: string): readonly string[] {
  const start = path.indexOf(unknown);
  // The rest of `$DIR/hooks/check.sh` still identifies the file.
  if (start === 0 && path[1] === "/") return placesFor(`.${path.slice(1)}`, folder);
  if (start === 0 || (start > 0 && !path.slice(0, start).includes("/"))) return [];
  return start > 0 || holdsPatternSign(path) ? expandPattern(path, folder) : possiblePaths(path, folder);
}

function coverPlace(place: string, language: Language | undefined, script: ScriptWalk): void {
  const found = script.collector.cover(place, language);
  if (language === "javascript" && found !== "file")
    for (const file of moduleFiles(place)) script.collector.cover(file, language);
  if (found !== "folder") return;
  if (language === "python")
    for (const name of ["__main__.py", "__init__.py"]) script.collector.cover(join(place, name), language);
  enter(place, script);
}

/** `cd DIR`: later names may be relative to it. */
export function enterFolder({ values }: WordMeaning, script: ScriptWalk): void {
  for (const value of values)
    for (const folder of [...script.folders])
      for (const place of placesFor(value, folder))
        if (script.collector.cover(place) === "folder") enter(place, script);
}

function enter(place: string, { folders, collector }: ScriptWalk): void {
  if (insidePath(place, collector.checkout) !== undefined && !folders.includes(place)) folders.push(place);
}

/** Reports a word that decides what runs and whose value is not known. */
export function reportUnknown({ raw, values }: WordMeaning, script: ScriptWalk): void {
  if (values.some((value) => value.startsWith("/proc/")))
    reportNotCovered(raw, "its target is not known in advance", script);
  if (!values.some((value) => value.includes(unknown))) return;
  const known = values.filter((value) => !value.includes(unknown)).map(printable);
  const why =
    known.length === 0
      ? "its value is not known in advance"
      : `only ${known.join(", ")} is covered; it may have another value when it runs`;
  reportNotCovered(raw, why, script);
}

/** Values may be built of values. */
const rounds = 3;
const maxValues = 32;

/** What the variables of a text may hold: every value that is assigned anywhere in it, and the initial ones. */
export function variablesOf(commands: readonly TextCommand[], script: ScriptWalk): KnownVariables {
  const assignments = commands.flatMap(({ words }) => assignmentsIn(words));
  let variables = script.variables;
  for (let round = 0; round < rounds && assignments.length > 0; round++) {
    const context = valueContext({ ...script, variables });
    const valuesIn = (word: TextWord | undefined): readonly string[] =>
      word === undefined || isPositionalParameter(word.pieces) ? [unknown] : valuesOf(word, context);
    const found = new Map<string, Set<string>>();
    for (const { name, values } of assignments) {
      const known = found.get(name) ?? new Set();
      for (const value of values.flatMap(valuesIn)) known.add(value);
      found.set(name, known);
    }
    variables = new Map([...script.variables, ...[...found].map(([name, known]) => [name, bounded(known)] as const)]);
  }
  return variables;
}

function bounded(values: ReadonlySet<string>): readonly string[] {
  return values.size > maxValues ? [unknown] : [...values];
}

interface Assignment {
  readonly name: string;
  /** Undefined: a value that is not known. */
  readonly values: readonly (TextWord | undefined)[];
}

function assignmentsIn(words: readonly TextWord[]): readonly Assignment[] {
  const start = words.findIndex((word) => !/^(?:if|then|else|elif|while|until|do|!|\{|time)$/.test(word.raw));
  const [first, second, third, ...rest] = words.slice(Math.max(start, 0));
  if (first === undefined) return [];
  if (/^(?:for|select)$/.test(first.raw) && third?.raw === "in" && second !== undefined)
    return [{ name: second.raw, values: rest }];
  if (/^(?:read|mapfile|readarray|getopts)$/.test(first.raw))
    return words.flatMap(({ raw }) => (/^[A-Za-z_]\w*$/.test(raw) ? [{ name: raw, values: [undefined] }] : []));
  return words.flatMap((word) => assignmentOf(word) ?? []);
}

/** `NAME=value`; an argument of that form counts too. */
function assignmentOf({ pieces, raw }: TextWord): Assignment | undefined {
  const [first, ...rest] = pieces;
  if (first?.kind !== "text" || first.quoted) return undefined;
  const [whole, name] = /^([A-Za-z_]\w*)\+?=/.exec(first.text) ?? [];
  if (whole === undefined || name === undefined) return undefined;
  return { name, values: [{ raw, pieces: [{ ...first, text: first.text.slice(whole.length) }, ...rest] }] };
}
