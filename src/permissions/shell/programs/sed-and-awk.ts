import { type ShellWord, staticValue } from "../shell-part.ts";
import { type Inner, opaque, wordOf } from "./inner-command.ts";
import { readProgramArguments } from "./program-options.ts";
import { readsOpenFile } from "./wrappers.ts";

const sedOptions = {
  usage:
    "-nrEszub -efl= -i[=] --quiet --silent --debug --posix --sandbox --separate --unbuffered --binary --null-data --zero-terminated " +
    "--regexp-extended --follow-symlinks --help --version --expression= --file= --line-length= --in-place[=]",
};

/** What the scripts of sed run and open. A script in an ordinary file is not read, like one for a shell. */
export function unwrapSed(args: readonly ShellWord[], stdin: string | undefined, openEnded: boolean): readonly Inner[] {
  // A variable without quotes is taken for one word.
  const words = args.map((word) => ({ ...word, splits: false }));
  const read = readProgramArguments(words, sedOptions, true);
  if (read === undefined) return [opaque("a word of sed may be a script")];
  const given = read.options.flatMap(({ name, value }) =>
    value && /^(?:e|f|--expression|--file)$/.test(name) ? [{ name, value }] : [],
  );
  // An empty script does nothing, or it is the suffix of BSD's `-i ''`.
  const first = read.operands.find((word) => staticValue(word) !== "");
  const typed = given.length > 0 || first === undefined ? given : [{ name: "e", value: first }];
  const scripts = typed.map(({ name, value }) => (/^-*e/.test(name) ? value : scriptInFile(value, stdin)));
  const known = scripts.filter((word) => word !== undefined);
  // A variable in a script may be empty or, as in an address, a number.
  const values = known.every((word) => staticValue(word) !== undefined) ? [""] : ["", "1"];
  const named = (name: string): ShellWord => ({ ...wordOf(name), pieces: values.length === 1 ? [name] : ["", ""] });
  // Text for `a`, `i`, `c` and `e` may continue in the next script.
  const readings = values.map((value) => readSedScript(known.map(({ pieces }) => pieces.join(value)).join("\n")));
  const isOpaque =
    known.length < scripts.length ||
    (openEnded && scripts.length === 0) ||
    known.some(isBlank) ||
    readings.every((reading) => reading.opaque) ||
    new Set(readings.map(({ runs }) => runs.join("\n"))).size > 1;
  return [
    ...readings.flatMap(({ runs, reads, writes }): Inner[] => [
      ...runs.map((text): Inner => ({ kind: "script", text, dialect: "sh" })),
      ...reads.map((name): Inner => ({ kind: "file", access: "read", option: "r", word: named(name) })),
      ...writes.map((name): Inner => ({ kind: "file", access: "write", option: "w", word: named(name) })),
    ]),
    ...(isOpaque ? [opaque("the script of sed may run commands")] : []),
  ];
}

/** The script that `-f` reads from standard input, if it is known. One in an ordinary file is left out. */
function scriptInFile(name: ShellWord, stdin: string | undefined): ShellWord | undefined {
  const file = staticValue(name) === "-" ? "stdin" : readsOpenFile(name);
  if (file === undefined) return wordOf("");
  return file === "other" || stdin === undefined ? undefined : wordOf(stdin);
}

/** Whether nothing of a word is known: it may be a script or an option. */
function isBlank({ pieces }: ShellWord): boolean {
  return pieces.length > 1 && pieces.join("").trim() === "";
}

/** A character or a set of characters in a regular expression. A delimiter in a set is literal. */
const inRegex = String.raw`\\[\s\S]|\[(?:\^|(?!\^))(?:\]|(?!\]))(?:[^\]\n[]|\[:[a-z]+:\]|\[(?![.:=]))*\]|[^\n\\[]`;
const inText = String.raw`\\[\s\S]|[^\n\\]`;
const lineAddress = /(?:\d+(?:[ \t]*~[ \t]*\d+)?|\$)[ \t]*/y;
const lineCount = /[+~][ \t]*\d+[ \t]*/y;
const delimiter = /[ -[\]-~]/y;
const flags = /[ \tgpiImM\d]*/y;
const end = /[ \t]*(?:[;\n]|$|(?=[}#]))/y;
const word = /[ \t]*[\w.-]*/y;
const text = /(?:\\[\s\S]|[^\n\\])*(?:\n|\\?$)/y;
const commandText = /[ \t]*((?:\\[\s\S]|[^\n\\])*)(?:\n|$)/y;
const fileName = /[ \t]*([^\n]+)/y;
const separators = /[ \t-\r;]*/y;

/**
 * The effects of a script for GNU sed, besides editing its stream: the commands that `e` runs in a shell, and files. `opaque`: it runs text
 * from its input, or it is not certain how sed reads it.
 */
export function readSedScript(script: string) {
  const [runs, reads, writes]: [string[], string[], string[]] = [[], [], []];
  let at = 0;
  /** Goes behind a match. Returns its group, or else all of it. */
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(script);
    at += found?.[0].length ?? 0;
    return found?.[1] ?? found?.[0];
  };
  const takes = (pattern: RegExp) => take(pattern) !== undefined;
  const takesUpTo = (sign: string | undefined, character: string): boolean => {
    const code = `\\x${sign?.charCodeAt(0).toString(16)}`;
    return sign !== undefined && takes(new RegExp(`(?:(?!${code})(?:${character}))*${code}`, "y"));
  };
  const takesAddress = () =>
    takes(lineAddress) || (takesUpTo(take(/\/|\\([ -[\]-~])/y), inRegex) && takes(/[ \tIM]*/y));
  const takesAddresses = () => takesAddress() && (!takes(/,[ \t]*/y) || takes(lineCount) || takesAddress());
  const takesTwo = (first: string): boolean => {
    const sign = take(delimiter);
    return takesUpTo(sign, first) && takesUpTo(sign, inText);
  };
  const takesInto = (found: string[], pattern: RegExp): boolean => {
    const value = take(pattern) ?? "";
    // sed resolves its own escapes in a command before the shell does.
    const isKnown = value !== "" && (found !== runs || !value.includes("\\"));
    if (isKnown) found.push(value);
    return isKnown;
  };
  // A script that sed refuses does nothing, so it may be accepted here.
  const takesCommand = (command: string | undefined): boolean => {
    if (command === undefined) return false;
    if (command === "{") return true;
    if (command === "#") return takes(/[^\n]*/y);
    if ("}=dDgGhHnNpPxzFqQlbtT:".includes(command)) return takes(word) && takes(end);
    if ("aic".includes(command)) return takes(text);
    if (command === "e") return takesInto(runs, commandText);
    if ("rR".includes(command)) return takesInto(reads, fileName);
    if ("wW".includes(command)) return takesInto(writes, fileName);
    if (command === "y") return takesTwo(inText) && takes(end);
    if (command !== "s" || !takesTwo(inRegex) || !takes(flags)) return false;
    return script[at] === "w" ? takes(/w/y) && takesInto(writes, fileName) : takes(end);
  };
  for (take(separators); at < script.length; take(separators)) {
    const addressed = !/[\d$/\\]/.test(script[at] ?? "") || takesAddresses();
    take(/!?[ \t]*/y);
    if (!addressed || !takesCommand(take(/[\s\S]/y))) return { runs, reads, writes, opaque: true };
  }
  return { runs, reads, writes, opaque: false };
}

/** Strings, comments and regular expressions. A slash behind a value divides, in front of one it begins a regular expression. */
const literals =
  /"(?:\\[\s\S]|[^"\\])*"|#[^\n]*|(?<=(?:^|[^\w)\]". \t]|\b(?:printf?|return|case|else|do|exit))[ \t]*)\/(?:\\.|\[(?:\^|(?!\^))(?:\]|(?!\]))[^\]\n]{0,999}\]|[^/\\\n[])*\//g;
/** If another slash follows in the line, whether this one divides depends on the grammar. */
const eitherSlash = /(?:\)|\+\+|--|\blength|\bgetline)[ \t]*\/[^\n]*\//;
const pipe = /(?<!\|)\|(?!\|)/;

/** What a program of awk starts: with `system`, with a pipe from or to a command, or with a function whose name a variable holds. */
export function unwrapAwk(args: readonly ShellWord[], stdin: string | undefined): readonly Inner[] {
  const words = args.map(({ pieces }) => pieces.join("$"));
  // Standard input is data, except with `-f -`, `@include` and the like.
  const isData = args.every(({ pieces: [first] }) => !/^(?:$|-(?![Fv]))/.test(first)) && !words.join(" ").includes("@");
  const texts = stdin === undefined || isData ? words : [...words, stdin];
  return texts.some(mayRun) ? [opaque("its program may run a command")] : [];
}

function mayRun(text: string): boolean {
  const bare = text.replace(literals, (literal) => (literal.includes("/") ? '""/' : '""'));
  // Versions of awk disagree where a line that ends with a backslash continues.
  const code = eitherSlash.test(bare) || /\\\r?\n/.test(text) ? text : bare;
  if (/\bsystem[\s\\]*\(|@(?:include|load)\b|@\w+\s*\(/.test(code)) return true;
  return pipe.test(code) && /\b(?:printf?|getline)\b/.test(code);
}
