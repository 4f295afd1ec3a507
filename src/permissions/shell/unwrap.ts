import { readOptions } from "./options.ts";
import { type ShellWord, staticValue } from "./part.ts";
import { shellOptions, shells, type Wrapper, wrappers } from "./wrappers.ts";

/** What a command starts in turn. */
export type Inner =
  | {
      readonly kind: "command";
      readonly words: readonly ShellWord[];
      readonly openEnded: boolean;
      readonly sets: readonly ShellWord[];
      /** It runs in folders that are not known beforehand. */
      readonly elsewhere?: boolean;
    }
  | {
      readonly kind: "script";
      readonly text: string;
      readonly dialect: Dialect;
      /** The word that holds it; absent when it is read from standard input. */
      readonly from?: ShellWord;
      readonly openEnded: boolean;
    }
  /** It starts something that cannot be seen. */
  | { readonly kind: "opaque"; readonly why: string };

export type Dialect = "bash" | "sh" | "other";

/** The commands inside a command, by the table of wrappers; none for an ordinary program. */
export function unwrap(head: string, args: readonly ShellWord[], stdin?: string): readonly Inner[] {
  if (head === "find") return unwrapFind(args);
  if (head === "eval") return args.length === 0 ? [] : [scriptOf(args, "bash", false)];
  if (head === "su") return unwrapSu(args);
  const dialect = shells.get(head);
  if (dialect) return unwrapShell(args, dialect, stdin);
  const wrapper = wrappers.get(head);
  return wrapper ? unwrapProgram(head, args, wrapper) : [];
}

function unwrapProgram(head: string, args: readonly ShellWord[], wrapper: Wrapper): readonly Inner[] {
  const read = readOptions(args, wrapper);
  if (read === undefined) return [{ kind: "opaque", why: `an option of ${head} is not known` }];
  const { options } = read;
  if (options.some(({ name }) => name.length === 1 && wrapper.asksOnly?.includes(name))) return [];
  const operands = wrapper.operands ?? 0;
  if (read.rest.slice(0, operands).some((word) => word.splits)) {
    return [{ kind: "opaque", why: `${head} has an operand that may split` }];
  }
  const { sets, rest } = wrapper.assigns ? cutAssignments(read.rest) : { sets: [], rest: read.rest.slice(operands) };
  if (head === "flock" && /^(-c|--command)$/.test(staticValue(rest[0] ?? emptyWord) ?? "")) {
    return [rest[1] ? scriptOf(rest.slice(1, 2), "sh", false) : { kind: "opaque", why: "flock -c without a command" }];
  }
  if (rest.length === 0) return wrapper.startsShell ? [{ kind: "opaque", why: `${head} starts a shell` }] : [];
  const replaced = options.find(({ name }) => wrapper.replaces?.includes(name))?.value;
  if (replaced && !staticValue(replaced)) return [{ kind: "opaque", why: `what ${head} replaces is not known` }];
  const words = replaced ? rest.map((word) => withoutText(word, staticValue(replaced) ?? "")) : rest;
  const joins = wrapper.joins && !options.some(({ name }) => name === wrapper.execOption || name === "--exec");
  if (head === "parallel") {
    const end = rest.findIndex((word) => /^:::/.test(staticValue(word) ?? ""));
    const command = end < 0 ? rest : rest.slice(0, end);
    if (command.length === 0) return [{ kind: "opaque", why: "parallel takes its commands from elsewhere" }];
    return [scriptOf(command, "other", true)];
  }
  if (joins) return [scriptOf(words, "sh", false)];
  return [{ kind: "command", words, openEnded: wrapper.appends === true && replaced === undefined, sets }];
}

function unwrapShell(args: readonly ShellWord[], dialect: Dialect, stdin: string | undefined): readonly Inner[] {
  const read = readOptions(args, shellOptions);
  const plain = read?.options.every(
    ({ name, value }) =>
      name !== "o" || /^(pipefail|errexit|nounset|xtrace)$/.test((value && staticValue(value)) ?? ""),
  );
  if (read === undefined || !plain) return [{ kind: "opaque", why: "an option of the shell is not known" }];
  const script = read.rest[0];
  const has = (letter: string) => read.options.some(({ name }) => name === letter);
  if (has("c")) return script ? [scriptOf([script], dialect, false)] : [];
  if (script !== undefined && !has("s")) return [];
  if (stdin === undefined) return [{ kind: "opaque", why: "the shell runs what it reads" }];
  return [{ kind: "script", text: stdin, dialect, openEnded: false }];
}

/** `su user -c script`: the options may stand behind the user; without a script it is a shell that reads its input. */
function unwrapSu(args: readonly ShellWord[]): readonly Inner[] {
  const at = args.findIndex((word) => /^(-c|--command)$/.test(staticValue(word) ?? ""));
  const script = at < 0 ? undefined : args[at + 1];
  return [script ? scriptOf([script], "sh", false) : { kind: "opaque", why: "su starts a shell" }];
}

/** `find … -exec command … ;`: `{}` stands for a name found. */
function unwrapFind(args: readonly ShellWord[]): readonly Inner[] {
  const inners: Inner[] = [];
  const outside: ShellWord[] = [];
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? emptyWord;
    if (!/^-(exec|execdir|ok|okdir)$/.test(staticValue(word) ?? "")) {
      outside.push(word);
      continue;
    }
    const end = endOfExec(args, index + 1);
    if (end === undefined) return [{ kind: "opaque", why: "find -exec without an end" }];
    const words = args.slice(index + 1, end).map((inner) => withoutText(inner, "{}"));
    const openEnded = staticValue(args[end] ?? emptyWord) === "+";
    inners.push({ kind: "command", words, openEnded, sets: [], elsewhere: (staticValue(word) ?? "").endsWith("dir") });
    index = end;
  }
  const unknown = outside.filter((word) => staticValue(word) === undefined);
  const couldEnd = args.some((word) => /^[;+]$/.test(staticValue(word) ?? ""));
  if (unknown.some((word) => word.splits) || unknown.length > 1 || (unknown.length === 1 && couldEnd)) {
    inners.push({ kind: "opaque", why: "a word that is not known may be find's -exec" });
  }
  return inners;
}

function endOfExec(args: readonly ShellWord[], start: number): number | undefined {
  for (let index = start; index < args.length; index++) {
    const text = staticValue(args[index] ?? emptyWord);
    if (text === ";" || (text === "+" && staticValue(args[index - 1] ?? emptyWord) === "{}")) return index;
  }
  return undefined;
}

function scriptOf(words: readonly ShellWord[], dialect: Dialect, openEnded: boolean): Inner {
  const texts = words.map(staticValue);
  const from = words[0];
  if (from === undefined || texts.some((text) => text === undefined)) {
    return { kind: "opaque", why: "the script is not known before it runs" };
  }
  return { kind: "script", text: texts.join(" "), dialect, from, openEnded };
}

function cutAssignments(words: readonly ShellWord[]): { sets: readonly ShellWord[]; rest: readonly ShellWord[] } {
  const first = words.findIndex((word) => !/^[^=]+=/.test(word.pieces[0]) || word.splits);
  const end = first < 0 ? words.length : first;
  return { sets: words.slice(0, end), rest: words.slice(end) };
}

/** The word with each occurrence of `text` made a gap. */
function withoutText(word: ShellWord, text: string): ShellWord {
  if (text === "" || !word.pieces.some((piece) => piece.includes(text))) return word;
  const [first = "", ...rest] = word.pieces.flatMap((piece) => piece.split(text));
  return { ...word, pieces: [first, ...rest] };
}

const emptyWord: ShellWord = { pieces: [""], raw: "", at: [0, 0], splits: false, behindVariable: false, readings: [] };
