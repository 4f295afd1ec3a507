import { dirname, isAbsolute, join } from "node:path";
import { expandPattern } from "./expand-pattern.ts";
import { type Gathering, insidePath, placesOf } from "./gather-files.ts";
import { moduleFiles } from "./javascript.ts";
import type { Language } from "./program-kinds.ts";
import type { TextCommand, TextWord } from "./shell-text.ts";
import { asWritten, isGiven, isPattern, unknown, type ValueContext, valuesOf } from "./word-values.ts";

/** Where a shell text is, and how far its words count. */
export interface Script {
  /** `named`: every file that a word names counts, as in the command of a hook. `run`: only what it runs. */
  readonly mode: "named" | "run";
  /** What stands before a form in messages; empty for the command itself. */
  readonly label: string;
  /** The script's own file. */
  readonly file?: string;
  /** Folders that relative names may count from. Grows. */
  readonly folders: string[];
  readonly depth: number;
  /** Whether it is only a text in quotes that may be a command: what it names counts, what it calls is not told. */
  readonly isGuess?: boolean;
  readonly variables: ReadonlyMap<string, readonly string[]>;
}

export function valueContext({ variables, file }: Script, { checkout }: Gathering): ValueContext {
  return {
    variables,
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

export function leaveOut(what: string, why: string, { label }: Pick<Script, "label">, gathering: Gathering): void {
  gathering.leaveOut(label === "" ? what : `${label}: ${what}`, why);
}

/** The way through the commands of one shell text. */
export interface Walk {
  readonly commands: readonly TextCommand[];
  readonly functions: ReadonlySet<string>;
  readonly script: Script;
  readonly gathering: Gathering;
}

/** A word with all it may mean. */
export interface Meant {
  readonly raw: string;
  readonly values: readonly string[];
}

/** Covers every file that a word may name. */
export function coverWord({ values }: Meant, language: Language | undefined, walk: Walk): void {
  for (const value of values)
    for (const path of pathsIn(value))
      for (const folder of [...walk.script.folders])
        for (const place of placesFor(path, folder)) coverPlace(place, language, walk);
}

/** Whether a word is a whole path that leads out of the folder. */
export function isOutside({ values }: Meant, { gathering }: Walk): boolean {
  return values.some((value) => isAbsolute(value) && insidePath(value, gathering.checkout) === undefined);
}

/** A word as a path, and the paths inside it: `--config=x`, `@x`, `file:x` and `-fx` name x. */
function pathsIn(value: string): readonly string[] {
  const attached = /^-[A-Za-z](.+)/s.exec(value)?.[1];
  const pieces = [value, ...value.split(/[=,:@]/), ...(attached === undefined ? [] : [attached])];
  return [...new Set(pieces)].filter((path) => path !== "" && path.length < 4_096 && !path.includes("\0"));
}

function placesFor(path: string, folder: string): readonly string[] {
  const start = path.indexOf(unknown);
  // What is left of `$DIR/hooks/check.sh` still says which file is meant.
  if (start === 0 && path[1] === "/") return placesFor(`.${path.slice(1)}`, folder);
  if (start === 0 || (start > 0 && !path.slice(0, start).includes("/"))) return [];
  return start > 0 || isPattern(path) ? expandPattern(path, folder) : placesOf(path, folder);
}

function coverPlace(place: string, language: Language | undefined, { script, gathering }: Walk): void {
  const found = gathering.cover(place, language);
  if (language === "javascript" && found !== "file")
    for (const file of moduleFiles(place)) gathering.cover(file, language);
  if (found !== "folder") return;
  if (language === "python")
    for (const name of ["__main__.py", "__init__.py"]) gathering.cover(join(place, name), language);
  enter(place, script, gathering);
}

/** `cd DIR`: names behind it may count from there. */
export function enterFolder({ values }: Meant, { script, gathering }: Walk): void {
  for (const value of values)
    for (const folder of [...script.folders])
      for (const place of placesFor(value, folder))
        if (gathering.cover(place) === "folder") enter(place, script, gathering);
}

function enter(place: string, { folders }: Script, { checkout }: Gathering): void {
  if (insidePath(place, checkout) !== undefined && !folders.includes(place)) folders.push(place);
}

/** Names a word whose value decides what runs, when it is not known. */
export function mustBeKnown({ raw, values }: Meant, { script, gathering }: Walk): void {
  if (values.some((value) => value.startsWith("/proc/")))
    leaveOut(raw, "where it leads is not known before it runs", script, gathering);
  if (!values.some((value) => value.includes(unknown))) return;
  const known = values.filter((value) => !value.includes(unknown)).map(asWritten);
  const why =
    known.length === 0
      ? "its value is not known before it runs"
      : `only ${known.join(", ")} is covered; it may have another value when it runs`;
  leaveOut(raw, why, script, gathering);
}

/** Values may be built of values. */
const rounds = 3;
const mostValues = 32;

/** What the variables of a text may hold: every value that is assigned anywhere in it, beside those it starts with. */
export function variablesOf(
  commands: readonly TextCommand[],
  script: Script,
  gathering: Gathering,
): ReadonlyMap<string, readonly string[]> {
  const assigned = commands.flatMap(({ words }) => assignmentsIn(words));
  let variables = script.variables;
  for (let round = 0; round < rounds && assigned.length > 0; round++) {
    const context = valueContext({ ...script, variables }, gathering);
    const found = new Map<string, Set<string>>();
    for (const { name, values } of assigned) {
      const known = found.get(name) ?? new Set();
      for (const word of values)
        for (const value of word === undefined || isGiven(word.pieces) ? [unknown] : valuesOf(word, context))
          known.add(value);
      found.set(name, known);
    }
    variables = new Map([...script.variables, ...[...found].map(([name, known]) => [name, bounded(known)] as const)]);
  }
  return variables;
}

function bounded(values: ReadonlySet<string>): readonly string[] {
  return values.size > mostValues ? [unknown] : [...values];
}

interface Assigned {
  readonly name: string;
  /** Undefined: a value from elsewhere. */
  readonly values: readonly (TextWord | undefined)[];
}

function assignmentsIn(words: readonly TextWord[]): readonly Assigned[] {
  const start = words.findIndex((word) => !/^(?:if|then|else|elif|while|until|do|!|\{|time)$/.test(word.raw));
  const [first, second, third, ...rest] = words.slice(Math.max(start, 0));
  if (first === undefined) return [];
  if (/^(?:for|select)$/.test(first.raw) && third?.raw === "in" && second !== undefined)
    return [{ name: second.raw, values: rest }];
  if (/^(?:read|mapfile|readarray|getopts)$/.test(first.raw))
    return words.flatMap(({ raw }) => (/^[A-Za-z_]\w*$/.test(raw) ? [{ name: raw, values: [undefined] }] : []));
  return words.flatMap((word) => assignmentOf(word) ?? []);
}

/** `NAME=value`; in doubt an argument of that form is taken for one too. */
function assignmentOf({ pieces, raw }: TextWord): Assigned | undefined {
  const [first, ...rest] = pieces;
  if (first?.kind !== "text" || first.quoted) return undefined;
  const [whole, name] = /^([A-Za-z_]\w*)\+?=/.exec(first.text) ?? [];
  if (whole === undefined || name === undefined) return undefined;
  return { name, values: [{ raw, pieces: [{ ...first, text: first.text.slice(whole.length) }, ...rest] }] };
}
