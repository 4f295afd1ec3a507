import { emptyWord, type ShellWord, staticValue } from "../shell-part.ts";
import { patternsOf } from "../word-pieces.ts";
import { type Inner, opaque, scriptOf, withoutText } from "./inner-command.ts";
import { cutWord } from "./program-options.ts";

// Programs whose command line has a grammar of its own.

/** `at`, `batch` and `crontab` run their standard input later. In a crontab commands follow five fields or a name such as `@daily`. */
export function unwrapScheduler(head: string, args: readonly ShellWord[], stdin: string | undefined): readonly Inner[] {
  const isTable = head === "crontab";
  const asksOnly = isTable ? /^-[a-zA-Z]*[lr]/ : /^-[a-zA-Z]*[lcrdV]/;
  if (args.some((word) => asksOnly.test(word.pieces[0]))) return [];
  if (stdin === undefined) return [opaque(`${head} runs what it reads`)];
  const lines = stdin.split("\n").map((line) => line.replace(/^\s*(?:@\w+|(?:\S+\s+){4}\S+)\s+/, ""));
  return [{ kind: "script", text: isTable ? lines.join("\n") : stdin, dialect: "sh" }];
}

/** `su user -c script`. Options may follow the user. Without a script it starts a shell that reads its input. */
export function unwrapSu(args: readonly ShellWord[]): readonly Inner[] {
  const at = args.findIndex((word) => /^(-c|--command)$/.test(staticValue(word) ?? ""));
  const script = at < 0 ? undefined : args[at + 1];
  return [script ? scriptOf([script], "sh") : opaque("su starts a shell")];
}

/** `find … -exec command … ;`, where `{}` is replaced by a path. */
export function unwrapFind(args: readonly ShellWord[]): readonly Inner[] {
  const inners: Inner[] = [];
  const outside: ShellWord[] = [];
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? emptyWord;
    const option = staticValue(word) ?? "";
    const next = args[index + 1];
    if (/^-f(print|print0|ls|printf)$/.test(option) && next) {
      inners.push({ kind: "file", access: "write", option, word: next });
    }
    if (!/^-(exec|execdir|ok|okdir)$/.test(option)) {
      outside.push(word);
      continue;
    }
    const end = endOfExec(args, index + 1);
    if (end === undefined) return [opaque("find -exec without an end")];
    const words = args.slice(index + 1, end).map((inner) => withoutText(inner, "{}", namesFound(args)));
    const openEnded = staticValue(args[end]) === "+";
    inners.push({ kind: "command", words, openEnded, elsewhere: option.endsWith("dir") });
    index = end;
  }
  const unknown = outside.filter((word) => staticValue(word) === undefined);
  const couldEnd = args.some((word) => /^[;+]$/.test(staticValue(word) ?? ""));
  const mayBeAction = unknown.some((word) => word.splits || word.pieces[0].startsWith("-"));
  if (mayBeAction || unknown.length > 1 || (unknown.length === 1 && couldEnd)) {
    inners.push(opaque("a word that is not known may be an action of find, such as -exec"));
  }
  return inners;
}

/** `fd … -x command …` and `-X`: the rest of the line, with a path in place of `{}` or at the end. */
export function unwrapFd(args: readonly ShellWord[]): readonly Inner[] {
  const at = args.findIndex((word) => /^(-[A-Za-z]*[xX]|--exec(-batch)?)(=|$)/.test(word.pieces[0]));
  const option = args[at];
  if (option === undefined) return [];
  const equals = option.pieces[0].indexOf("=");
  const attached = equals < 0 ? [] : [cutWord(option, equals + 1)];
  const behind = args.slice(at + 1);
  const end = behind.findIndex((word) => staticValue(word) === ";");
  const words = [...attached, ...(end < 0 ? behind : behind.slice(0, end))];
  const placed = words.map((word) =>
    ["{}", "{/}", "{//}", "{.}", "{/.}"].reduce((found, sign) => withoutText(found, sign, []), word),
  );
  const named = placed.some((word, index) => word !== words[index]);
  return [
    { kind: "command", words: placed, openEnded: !named, fed: true },
    ...(end < 0 ? [] : unwrapFd(behind.slice(end + 1))),
  ];
}

/** Patterns of the paths that `find` may put in place of `{}`: its starting points, and names that match one of its patterns. */
function namesFound(args: readonly ShellWord[]): readonly string[] {
  const options = args.findIndex((word) => /^[-(!]/.test(word.pieces[0]));
  const starts = args.slice(0, options < 0 ? args.length : options).flatMap((word) => patternsOf(word) ?? []);
  const patterns = args.flatMap((word, index) => {
    const pattern = args[index + 1];
    const named = pattern && /^-(i?name|i?path|i?wholename)$/.test(staticValue(word) ?? "");
    const text = named ? staticValue(pattern)?.split("/").at(-1) : undefined;
    const names = text === undefined || text === "" ? [] : [`**/${text}`, ...hiddenNames(text)];
    return word.pieces[0].startsWith("-i") ? names.map(inAnyCase) : names;
  });
  return [...starts, ...patterns];
}

/** Longer than any file name. */
const maxNameLength = 1_000;

/** `[eE][nN][vV]` for `env`. Text in brackets is not changed. */
function inAnyCase(pattern: string): string {
  if (pattern.length > maxNameLength) return pattern;
  return pattern.replace(/\[[^\]]*\]|[A-Za-z]/g, (sign) =>
    sign.length > 1 ? sign : `[${sign.toLowerCase()}${sign.toUpperCase()}]`,
  );
}

/** In find, unlike in bash, a wildcard at the start of a pattern matches a dot. */
function hiddenNames(pattern: string): string[] {
  const sign = /^(?:\?|\[[!^]?\]?[^\]]*\])/.exec(pattern)?.[0];
  if (pattern.startsWith("*")) return [`**/.${pattern}`];
  return sign === undefined ? [] : [`**/.${pattern.slice(sign.length)}`];
}

function endOfExec(args: readonly ShellWord[], start: number): number | undefined {
  for (let index = start; index < args.length; index++) {
    const text = staticValue(args[index]);
    if (text === ";" || (text === "+" && staticValue(args[index - 1]) === "{}")) return index;
  }
  return undefined;
}
