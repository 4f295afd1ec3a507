import { type ShellWord, staticValue } from "../shell-part.ts";
import { type Inner, opaque, wordOf } from "./inner-command.ts";
import { type OptionGrammar, readProgramArguments } from "./program-options.ts";
import { readsOpenFile } from "./wrappers.ts";

/** A program with a script of its own: its options, and those whose value is a script or a file with one. */
interface ScriptGrammar extends OptionGrammar {
  readonly scripts: RegExp;
}

const sedOptions: ScriptGrammar = {
  usage:
    "-nrEszub -efl= -i[=] --quiet --silent --debug --posix --sandbox --separate --unbuffered --binary --null-data --zero-terminated " +
    "--regexp-extended --follow-symlinks --help --version --expression= --file= --line-length= --in-place[=]",
  scripts: /^(?:[ef]|--expression|--file)$/,
};
const awkOptions: ScriptGrammar = {
  usage:
    "-bcCghIkMnNOPrsStV -dDLop[=] -efEFilv= --file= --field-separator= --assign= --source= --exec= --include= --load= --lint[=] --csv " +
    "--bignum --posix --re-interval --sandbox --traditional --characters-as-bytes --non-decimal-data --help --version " +
    "--pretty-print[=] --profile[=] --dump-variables[=] --lint-old --optimize --no-optimize --use-lc-numeric --gen-pot -W=",
  scripts: /^(?:[efEi]|--(?:source|file|exec|include))$/,
  inOrder: true,
};

const isPlainW = /^(?:version|interactive)$/;

/** In place of an expansion whose value is not known. */
const gap = "\uE000";

/** What the scripts of sed run and open. */
export function unwrapSed(args: readonly ShellWord[], stdin: string | undefined, openEnded: boolean): readonly Inner[] {
  const { known, isWhole } = readScripts(args, sedOptions, stdin, openEnded);
  // Text for `a`, `i`, `c` and `e` may continue in the next script.
  const script = readSedScript(known.map(({ pieces }) => pieces.join(gap)).join("\n"));
  // With a gap anywhere, another file may be named.
  const isSure = known.every((word) => staticValue(word) !== undefined);
  const fileAs =
    (access: "read" | "write", option: string) =>
    (name: string): Inner => ({
      kind: "file",
      access,
      option,
      word: { ...wordOf(name), pieces: isSure ? [name] : ["", ""] },
    });
  return [
    ...script.runs.map((text): Inner => ({ kind: "script", text, dialect: "sh" })),
    ...script.reads.map(fileAs("read", "r")),
    ...script.writes.map(fileAs("write", "w")),
    ...(isWhole && !script.opaque && !known.some(mayExpandToCommand)
      ? []
      : [opaque("the script of sed may run commands")]),
  ];
}

/** The scripts in the arguments. One in an ordinary file is left out, like one for a shell. `isWhole`: there are no others. */
function readScripts(
  args: readonly ShellWord[],
  grammar: ScriptGrammar,
  stdin: string | undefined,
  openEnded: boolean,
): { readonly known: readonly ShellWord[]; readonly isWhole: boolean } {
  // A variable without quotes is taken for one word.
  const words = args.map((word) => ({ ...word, splits: false }));
  const read = readProgramArguments(words, grammar, true);
  if (read === undefined) return { known: [], isWhole: false };
  // Others of `-W` are a script or a file: `-W exec`.
  const isOther = read.options.some(
    ({ name, value }) => name === "W" && !isPlainW.test((value && staticValue(value)) ?? ""),
  );
  if (isOther) return { known: [], isWhole: false };
  const given = read.options.flatMap(({ name, value }) =>
    value && grammar.scripts.test(name)
      ? [/^(?:e|--expression|--source)$/.test(name) ? value : scriptInFile(value, stdin)]
      : [],
  );
  // An empty script does nothing, or it is the suffix of BSD's `-i ''`.
  const isGiven = read.options.some(({ name }) => grammar.scripts.test(name) && !/^(?:i|--include)$/.test(name));
  const first = isGiven ? undefined : read.operands.find((word) => staticValue(word) !== "");
  const known = [...given, ...(first ? [first] : [])].filter((word) => word !== undefined);
  return { known, isWhole: !given.includes(undefined) && (isGiven || first !== undefined || !openEnded) };
}

/** The script that `-f` reads from standard input, if it is known. One in an ordinary file is left out. */
function scriptInFile(name: ShellWord, stdin: string | undefined): ShellWord | undefined {
  const file = staticValue(name) === "-" ? "stdin" : readsOpenFile(name);
  if (file === undefined) return wordOf("");
  return file === "other" || stdin === undefined ? undefined : wordOf(stdin);
}

/**
 * Whether an expansion other than a plain variable may hold the command `e` or `w`, or a flag: `${x:-/e}`, `$(echo e)`. In text they count
 * behind what may end it: a slash, a delimiter of the script, the end of a command. In an address they count anywhere but in an option.
 */
function mayExpandToCommand({ pieces, raw }: ShellWord): boolean {
  const at = pieces.length === 1 ? -1 : raw.search(/\$\(|`|\$\{\w+[^\w}]/);
  if (at < 0) return false;
  if (hasAddressGap(pieces)) return /(?<!\s-|[\w$])[gpiImM\d]*[ew](?!\w)/.test(raw.slice(at));
  const signs = [...pieces.join(gap).matchAll(/(?<![a-z])[sy]([^\w\s])/gi)].map(([, sign]) => `\\${sign}`);
  const between = String.raw`(?:[\sgpiImM\d!,~+]|\\\$|\$!){0,20}`;
  const command = String.raw`(?:[ew](?!\w)|e[gpiImM\d]+[;#}\n])`;
  return new RegExp(String.raw`(?:[/;{}\n${signs.join("")}]|\\n)${between}${command}|[;\n]\s{0,20}(?:\\\S|\$e\s)`).test(
    raw.slice(at),
  );
}

/** Whether one of the expansions may be a line number, and so a command too. */
function hasAddressGap(pieces: ShellWord["pieces"]): boolean {
  const isAddress = /(?:[;{}\n]|[^\w\s][IM\s]{0,9},)[\s\d,$!~+]*$/;
  return /^[\s\d,$!~+]*$/.test(pieces[0]) || pieces.slice(0, -1).some((piece) => isAddress.test(piece));
}

/** A character or a set of characters in a regular expression. A delimiter in a set is literal. */
const inRegex = String.raw`\\[\s\S]|\[(?:\^|(?!\^))(?:\]|(?!\]))(?:[^\]\n[]|\[:[a-z]+:\]|\[(?![.:=]))*\]|[^\n\\[]`;
const inText = String.raw`\\[\s\S]|[^\n\\]`;
const lineAddress = /(?:[\d\uE000]+(?:[ \t]*~[ \t]*[\d\uE000]+)?|\$)[ \t]*/y;
const lineCount = /[+~][ \t]*[\d\uE000]+[ \t]*/y;
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
 * from its input, or it is not certain how sed reads it. A gap is taken for a number or for text, but not for commands or flags.
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
    if (value === "" || (found === runs && value.includes("\\"))) return false;
    found.push(value);
    return found !== runs || !value.includes(gap);
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
    const hasAddress = /[\d$/\\\uE000]/.test(script[at] ?? "");
    const isRead = !hasAddress || takesAddresses();
    take(/!?[ \t]*/y);
    const command = take(/[\s\S]/y);
    // What takes no address has a command before it.
    const isMisplaced = hasAddress && /[}#:]/.test(command ?? "");
    if (!isRead || isMisplaced || !takesCommand(command)) return { runs, reads, writes, opaque: true };
  }
  return { runs, reads, writes, opaque: false };
}

/** Strings, comments and regular expressions. A slash behind a value divides, in front of one it begins a regular expression. */
const literals =
  /"(?:\\[\s\S]|[^"\\])*"|#[^\n]*|\/(?<=(?:^|[^\w)\]". \t+-]|(?<!\+)\+|(?<!-)-|\b(?:printf?|return|else|do|exit))[ \t]*\/)(?:\\.|\[(?:\^|(?!\^))(?:\]|(?!\]))[^\]\n]{0,999}\]|[^/\\\n[])*\//g;
/** If another slash follows in the line, whether this one divides depends on the grammar. `case` is a variable to some versions. */
const eitherSlash = /(?:\)|\+\+|--|\b(?:length|getline|case))[ \t]*\/[^\n]*\//;
const pipe = /(?<!\|)\|(?!\|)/;
const startsCommand = /\bsystem[\s\\]*\(|@(?:include|load)\b|@\w+\s*\(/;
/** An expansion that is a whole statement. */
const unknownStatement = /\$(?<=(?:^|[{};\n])[ \t]*\$)\s*(?:[};\n]|$)/;

/** What a program of awk starts: with `system`, with a pipe from or to a command, or with a function whose name a variable holds. */
export function unwrapAwk(args: readonly ShellWord[], stdin: string | undefined, openEnded: boolean): readonly Inner[] {
  const { known, isWhole } = readScripts(args, awkOptions, stdin, openEnded);
  const isUnknown = ({ pieces, raw }: ShellWord) =>
    pieces.length > 1 && (unknownStatement.test(pieces.join("$")) || startsCommand.test(raw));
  const mayStart = [...args, ...known].some(({ pieces }) => mayRun(pieces.join("$")));
  return isWhole && !mayStart && !known.some(isUnknown) ? [] : [opaque("its program may run a command")];
}

function mayRun(text: string): boolean {
  const bare = text.replace(literals, (literal) => (literal.includes("/") ? '""/' : '""'));
  // Versions of awk disagree where a line that ends with a backslash continues.
  const code = eitherSlash.test(bare) || /\\\r?\n/.test(text) ? text : bare;
  return startsCommand.test(code) || (pipe.test(code) && /\b(?:printf?|getline)\b/.test(code));
}
