import { type CommandPart, emptyWord, headOf, type ShellWord, staticValue } from "../shell-part.ts";
import { asksFile, comparesFiles } from "./builtins.ts";
import { type OptionGrammar, readProgramArguments } from "./program-options.ts";

/** A command that only reads, with the options that keep it so. With any other option it is not read-only. */
interface ReadOnlyCommand extends OptionGrammar {
  /**
   * Default: each operand is a file that is read. `text`: none is a file. `pattern`: the first is text unless an option gives it. `none`: it
   * takes no operands, and any that are given are ignored. `anything`: all words are text, also those that look like options.
   */
  readonly operands?: "text" | "pattern" | "none" | "anything";
  /** Without operands it reads the working directory. */
  readonly reads?: "here";
  /** Options that make it read all files below a folder. */
  readonly deep?: readonly string[];
  /** Options whose value is a file. */
  readonly fileOptions?: readonly string[];
}

/** With the listed options none of these starts a program, writes, changes state or uses the network. */
const readOnlyCommands: ReadonlyMap<string, ReadOnlyCommand> = new Map(
  Object.entries<ReadOnlyCommand>({
    ls: {
      usage:
        "-aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1 --all --almost-all --author --directory --full-time " +
        "--group-directories-first --human-readable --inode --no-group --recursive --reverse --size --color[=] " +
        "--sort= --time= --time-style= --format= --ignore= --hide=",
      reads: "here",
    },
    cat: { usage: "-AbeEnstTuv --number --number-nonblank --show-all --show-ends --show-tabs --squeeze-blank" },
    head: { usage: "-qvz -nc= --quiet --verbose --lines= --bytes=", also: /^-\d+$/ },
    // Not `-f` and `-F`: they never end.
    tail: { usage: "-qvz -nc= --quiet --verbose --lines= --bytes=", also: /^-\d+$/ },
    wc: { usage: "-clmwL --bytes --chars --lines --words --max-line-length" },
    nl: { usage: "-p -bdfhilnsvw=" },
    pwd: { operands: "none", usage: "-LP" },
    echo: { operands: "anything" },
    printf: { operands: "anything" },
    true: { operands: "anything" },
    false: { operands: "anything" },
    which: { operands: "text", usage: "-as" },
    basename: { operands: "text", usage: "-az -s= --multiple --zero --suffix=" },
    dirname: { operands: "text", usage: "-z --zero" },
    tr: { operands: "text", usage: "-cCdst --complement --delete --squeeze-repeats --truncate-set1" },
    realpath: {
      usage:
        "-eLmPqsz --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip " +
        "--no-symlinks --zero --relative-to= --relative-base=",
      fileOptions: ["--relative-to", "--relative-base"],
    },
    readlink: { usage: "-efmnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline" },
    stat: { usage: "-Lt -c= --dereference --terse --format= --printf=" },
    du: {
      usage:
        "-abcDhHklLmPsSx0 -dB= --all --apparent-size --bytes --total --human-readable --summarize " +
        "--one-file-system --separate-dirs --si --max-depth= --block-size= --exclude=",
      reads: "here",
    },
    df: { usage: "-ahHiklPT -B= --all --human-readable --inodes --local --portability --print-type --total" },
    cut: {
      usage:
        "-nsz -bcdf= --only-delimited --complement --zero-terminated --bytes= --characters= --delimiter= " +
        "--fields= --output-delimiter=",
    },
    comm: { usage: "-123z --check-order --nocheck-order --total --output-delimiter=" },
    cmp: { usage: "-bls -in= --print-bytes --verbose --quiet --silent --bytes=" },
    // Not `-l`: it starts pr.
    diff: {
      usage:
        "-abBcdeEfHinNpPqrstTuwyZ -CUWxIF= --brief --recursive --ignore-case --ignore-all-space " +
        "--ignore-space-change --ignore-blank-lines --new-file --text --minimal --side-by-side " +
        "--suppress-common-lines --report-identical-files --no-dereference --strip-trailing-cr --unified[=] " +
        "--context[=] --width= --exclude= --color[=] --label= --ignore-matching-lines=",
      deep: ["r", "--recursive"],
    },
    grep: {
      operands: "pattern",
      usage:
        "-EFGPiIvwxclLnhHoqrRsaUzZbyT -eABCm= --extended-regexp --fixed-strings --basic-regexp --perl-regexp " +
        "--ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count " +
        "--files-with-matches --files-without-match --line-number --no-filename --with-filename " +
        "--only-matching --quiet --silent --recursive --dereference-recursive --no-messages --text --null " +
        "--null-data --byte-offset --initial-tab --line-buffered --regexp= --after-context= " +
        "--before-context= --context[=] --max-count= --include= --exclude= --exclude-dir= --color[=] --colour[=] " +
        "--binary-files= --label=",
      deep: ["r", "R", "--recursive", "--dereference-recursive"],
      also: /^-\d+$/,
    },
  }),
);

type ProgramArguments = NonNullable<ReturnType<typeof readProgramArguments>>;

/** What a read-only command reads. */
export interface ReadFiles {
  readonly files: readonly ShellWord[];
  /** Whether it reads the contents of everything below them. */
  readonly deep: boolean;
}

/** The files that a read-only command reads. Undefined if the command is not read-only. */
export function readOnlyFiles(part: CommandPart): ReadFiles | undefined {
  const args = part.words.slice(1);
  const head = headOf(part);
  // Open-ended: words that follow at run time, from xargs for example, could be any option or file.
  if (head === undefined || part.openEnded) return undefined;
  if (head === "test") return quietTest(args) ? shallow(testedFiles(args)) : undefined;
  if (head === "[") return quietTest(args.slice(0, -1)) ? shallow(testedFiles(args.slice(0, -1))) : undefined;
  if (head === "[[") return shallow(testedFiles(args.slice(0, -1)));
  const command = readOnlyCommands.get(head);
  if (command === undefined || (!silent.has(head) && showsSecrets(part))) return undefined;
  if (command.operands === "anything") return head === "printf" && !printsLittle(args) ? undefined : shallow([]);
  const read = readProgramArguments(args, command, command.operands === "text");
  if (read === undefined) return undefined;
  const named = read.options.flatMap(({ name: option, value }) =>
    value && command.fileOptions?.includes(option) ? [value] : [],
  );
  const files = [...operandFiles(command, read), ...named].filter((word) => staticValue(word) !== "-");
  if (files.some((word) => staticValue(word) === undefined)) return undefined;
  return { files, deep: read.options.some(({ name }) => command.deep?.includes(name)) };
}

/** Commands that print nothing of their words. */
const silent = new Set(["true", "false"]);

/**
 * Whether the output may contain the value of a variable that may be a secret: one in a word (`reveals`), or in a here-document or
 * here-string (`inputReveals`).
 */
function showsSecrets({ words, inputReveals = [] }: CommandPart): boolean {
  return inputReveals.length > 0 || words.some(({ reveals = [] }) => reveals.length > 0);
}

const widest = 1_000;

/** False if a width or precision is large or an argument, which can produce any amount of text. */
function printsLittle(args: readonly ShellWord[]): boolean {
  const format = args.find((word) => staticValue(word) !== "--");
  if (format === undefined) return true;
  const text = staticValue(format);
  if (text === undefined)
    return format.expansions !== undefined && !format.expansions.some((known) => /%.*[*\d]/s.test(known));
  return [...text.matchAll(/%[-+ 0#']*(\*|\d*)(?:\.(\*|\d*))?/g)].every(([, width = "", precision = ""]) =>
    [width, precision].every((size) => size !== "*" && Number(size) <= widest),
  );
}

function shallow(files: readonly ShellWord[] | undefined): ReadFiles | undefined {
  return files && { files, deep: false };
}

function operandFiles(command: ReadOnlyCommand, { options, operands }: ProgramArguments): readonly ShellWord[] {
  const here: ShellWord = { ...emptyWord, pieces: ["."], raw: "." };
  if (command.operands === "text" || command.operands === "none") return [];
  if (command.operands === undefined) return operands.length === 0 && command.reads === "here" ? [here] : operands;
  const given = options.some(({ name }) => name === "e" || name === "--regexp");
  const files = given ? operands : operands.slice(1);
  const recursive = options.some(({ name }) => command.deep?.includes(name));
  return files.length === 0 && recursive ? [here] : files;
}

/** The words of a test that name files. Undefined if one of them is unknown. */
function testedFiles(args: readonly ShellWord[]): readonly ShellWord[] | undefined {
  const files = args.filter((_, index) => {
    const [before, after] = [args[index - 1], args[index + 1]].map((word) => staticValue(word) ?? "");
    return asksFile.test(before ?? "") || comparesFiles.test(before ?? "") || comparesFiles.test(after ?? "");
  });
  return files.every((word) => staticValue(word) !== undefined) ? files : undefined;
}

/**
 * Whether a test keeps what its variables hold to itself. A complaint about a number or an operator repeats the word, so words that may
 * be secret must be texts that are compared, or follow an operator such as `-n`.
 */
function quietTest(args: readonly ShellWord[]): boolean {
  const groups: ShellWord[][] = [[]];
  for (const word of args) {
    const text = staticValue(word);
    if (text === "-a" || text === "-o") groups.push([]);
    else if (text !== "!" || groups.at(-1)?.length !== 0) groups.at(-1)?.push(word);
  }
  return groups.every((group) => {
    if (group.length < 2 || !group.some(({ reveals = [] }) => reveals.length > 0)) return true;
    const text = staticValue(group.at(-2)) ?? "";
    return group.length === 2
      ? /^-[a-zA-Z]$/.test(text)
      : group.length === 3 && /^(==?|!=|[<>]|-[no]t|-ef)$/.test(text);
  });
}
