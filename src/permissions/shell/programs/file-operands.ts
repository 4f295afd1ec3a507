import { type CommandPart, type Places, programName, type ShellWord, staticValue } from "../shell-part.ts";
import { escapePattern, patternsOf, someWord } from "../word-pieces.ts";
import { type FileOperand, type FileProgram, filePrograms } from "./file-programs.ts";
import { knownLines } from "./inner-command.ts";
import { isOption, isValueOf, optionValues } from "./program-options.ts";
import { gitOperands, writtenWords } from "./special-operands.ts";

/** A command with more operands needs a confirmation. */
export const maxOperands = 2_000;

/**
 * The files among the words of a known program; none for any other. The tables do not know every option of every program, so a name can be
 * missed, and text can be taken for a name.
 */
export function fileOperands(part: CommandPart): FileOperand[] {
  const args = part.words.slice(1);
  const head = programName(part) ?? "";
  const program = filePrograms().get(head);
  const lines = knownLines(args) ?? [];
  if (head === "git") return gitOperands(args);
  if (program === undefined) return lines.flatMap((line) => optionFiles(head, line));
  const text = surelyText(head, args);
  const words = args
    .map((word, index) => ({ raw: word.raw, names: index === text ? [] : namesOf(word, index, args, program) }))
    .filter(({ names }) => names.length > 0);
  const writes = program.does === "writes" && (head !== "sed" || mayEditInPlace(args));
  const elsewhere = args.some((word) => /^(-t|--target-directory)/.test(word.pieces[0]));
  /** Each pattern once per access. An unknown name has its raw text as the key, behind a NUL, which no pattern contains. */
  const operands = new Map<string, FileOperand>();
  const add = (pattern: string | undefined, raw: string, access: FileOperand["access"]) =>
    operands.set(`${access} ${pattern ?? `\0${raw}`}`, { pattern, raw, access });
  if (lines.length === 0) add(undefined, "one of its words", "write");
  for (const word of lines.flatMap((line) => writtenWords(head, line, program))) {
    for (const pattern of patternsOf(word) ?? [undefined]) add(pattern, word.raw, "write");
  }
  for (const [index, { raw, names }] of words.entries()) {
    const last = elsewhere || index === words.length - 1;
    const access = writes || (program.does === "writes last" && last) ? "write" : "read";
    for (const pattern of names) add(pattern, raw, access);
    if (operands.size > maxOperands) break;
  }
  return [...operands.values()];
}

/** Whether sed may change its files: one of its words is, or may be, `-i`. */
function mayEditInPlace(args: readonly ShellWord[]): boolean {
  return args.some((word) => {
    const texts = patternsOf(word);
    const [first] = word.pieces;
    return texts?.some((text) => /^-(?:[A-Za-z]*i|-i)/.test(text)) ?? (first === "" || first.startsWith("-"));
  });
}

/** Whether a command works on the files that its words name. */
export function worksOnFiles(part: CommandPart): boolean {
  const head = programName(part);
  return head !== undefined && filePrograms().has(head);
}

function operandsIn(word: ShellWord, access: FileOperand["access"]): FileOperand[] {
  return (patternsOf(word) ?? [undefined]).map((pattern) => ({ pattern, raw: word.raw, access }));
}

/** The possible names in a word, as patterns. Undefined is an unknown name. */
function namesOf(
  word: ShellWord,
  index: number,
  args: readonly ShellWord[],
  program: FileProgram,
): readonly (string | undefined)[] {
  const patterns = patternsOf(word);
  // `$RANDOM` in `head -n $RANDOM a`: an unknown number or name where the program takes text is not a file.
  const counts = patterns?.some((pattern) => pattern.includes(someWord)) && isText(index, args, program);
  if (counts) return [];
  if (patterns) return patterns.flatMap(namesIn);
  // A word that may split can become several words.
  if (word.splits) return [undefined];
  if (word.pieces[0].startsWith("-")) return fileOption.test(word.pieces[0]) ? [undefined] : [];
  return isText(index, args, program) ? [] : [undefined];
}

const searches = /^(?:[efz]?grep|rg|ag|sed|jq|yq)$/;
/** Options with which the first operand is still the pattern or the script: not `-e` and `-f`, and only known long options. */
const keepsFirst =
  /^(?:-[^-ef][^ef]*|--(?:include|exclude|exclude-dir|colou?r|hidden|ignore-case|line-number|type|glob|raw-output|count|quiet|silent|fixed-strings|recursive|files-with-matches|word-regexp|in-place)(?:=.*)?)$/s;

/** The index of the pattern in `grep .env README.md` or of the script in `jq .env a.json`, if it is surely not a file. */
function surelyText(head: string, args: readonly ShellWord[]): number | undefined {
  if (!searches.test(head)) return undefined;
  const options = args.filter((word) => staticValue(word) === undefined || isOption(word));
  if (!options.every((word) => keepsFirst.test(staticValue(word) ?? word.pieces[0]))) return undefined;
  // A single operand of yq is a file if one of that name exists.
  if (head === "yq" && args.length - options.length < 2) return undefined;
  return args.findIndex((word) => !isOption(word));
}

const fileOption =
  /^--(file|from-file|files0-from|target-directory|output|reference|exclude-from|include-from|rawfile|slurpfile)=/;

/** The value of an option that takes text, or a first operand that is a pattern, a script or a mode. */
function isText(index: number, args: readonly ShellWord[], { text, textFirst }: FileProgram): boolean {
  if (isValueOf(text, args[index - 1])) return true;
  // `--arg name value` of jq.
  if (args.slice(Math.max(0, index - 2), index).some((word) => /^--arg(json)?$/.test(word.pieces[0]))) return true;
  if (
    textFirst === undefined ||
    args.slice(0, index).some((word, at) => !isOption(word) && !isValueOf(text, args[at - 1]))
  )
    return false;
  return !args.some(
    (word) => new RegExp(`^-[A-Za-z]*[${textFirst}-]$`).test(staticValue(word) ?? "") && textFirst !== "",
  );
}

/** The name in a word: the word itself, or the value of `of=x`, `--file=x` or `-fx`. */
function namesIn(pattern: string): string[] {
  const value = /^(?:-{1,2}[\w-]+|if|of)=(.*)$/s.exec(pattern)?.[1];
  if (value !== undefined) return value === "" ? [] : [value];
  if (!pattern.startsWith("-")) return pattern === "" ? [] : [pattern];
  const attached = [/^-[A-Za-z](.+)$/s.exec(pattern)?.[1], /^-[A-Za-z]+?([./].*)$/s.exec(pattern)?.[1]];
  return [...new Set(attached.filter((name) => name !== undefined))];
}

/**
 * What may precede an option's letter in the same word: no letter of an option that takes a value, because the rest of the word would be that
 * value. In `curl -so x` the `o` is an option, in `curl -Ho x` it is the value of -H.
 */
const flags: Readonly<Record<string, RegExp>> = {
  curl: /^[^AbCcdDeEFHKmoPQrtTuUwxXyYz]*$/,
  wget: /^[^aABDeiIloOPQRtTUwX]*$/,
  xargs: /^[^adeEiIlLnPs]*$/,
};

/** Files in the options of programs whose operands are not files. */
function optionFiles(head: string, args: readonly ShellWord[]): FileOperand[] {
  const values = (wanted: string) => optionValues(args, wanted, flags[head]);
  const files = (words: readonly ShellWord[], access: FileOperand["access"]) =>
    words.flatMap((word) => operandsIn(word, access));
  switch (head) {
    case "curl":
      return [
        ...values("-dFH= --data= --data-ascii= --data-binary= --data-urlencode= --json= --form= --header=").flatMap(
          behindAt,
        ),
        ...values("--data-urlencode= --url-query= --variable=").flatMap(behindNameAt),
        ...args.flatMap(behindFileUrl),
        ...files(values("-TKb= --upload-file= --config= --cookie="), "read"),
        ...files(values("-ocD= --output= --output-dir= --dump-header= --cookie-jar="), "write"),
        ...(args.some((word) => /^(-[A-Za-z]*O|--remote-name)/.test(word.pieces[0])) ? args.flatMap(lastOfUrl) : []),
      ];
    case "wget":
      return [
        ...files(values("-i= --post-file= --body-file= --input-file= --load-cookies="), "read"),
        ...files(values("-OoaP= --output-document= --output-file= --append-output= --directory-prefix="), "write"),
        ...(args.some((word) => /^(-[A-Za-z]*O|--output-document)/.test(word.pieces[0]))
          ? []
          : args.flatMap(lastOfUrl)),
      ];
    case "perl":
    case "ruby": {
      // With -n or -p they read the named files; with -i they change them.
      const [loops, edits] = [/^-[A-Za-z0-9]*[np]/, /^-[A-Za-z0-9]*i/].map((option) =>
        args.some((word) => option.test(word.pieces[0])),
      );
      const named = args.filter((word, index) => !isOption(word) && !isValueOf("e", args[index - 1]));
      const known = named.filter((word) => patternsOf(word) !== undefined);
      return loops ? files(known, edits ? "write" : "read") : [];
    }
    case "xargs":
      return files(values("-a= --arg-file="), "read");
    default:
      return [];
  }
}

/** `https://host/path/name` is saved as `name`. */
function lastOfUrl(word: ShellWord): FileOperand[] {
  const name = /^(?:[a-z]+:\/\/)?[^/?#]+\/(?:[^?#]*\/)?([^/?#]+)/i.exec(staticValue(word) ?? "-")?.[1];
  return name === undefined || isOption(word) ? [] : [{ pattern: escapePattern(name), raw: word.raw, access: "write" }];
}

/** The file whose name follows the lead in a word. */
function behind(lead: RegExp, word: ShellWord): FileOperand[] {
  const length = lead.exec(word.pieces[0])?.[0].length;
  if (length === undefined) return [];
  return operandsIn(word, "read").map((file) => ({ ...file, pattern: file.pattern?.slice(length) }));
}

/** `file:///x`, which curl reads from disk. */
function behindFileUrl(word: ShellWord): FileOperand[] {
  return behind(/^file:\/\/(?:localhost)?/i, word);
}

/** `@file`, `name=@file` and `name=<file` of curl. */
function behindAt(word: ShellWord): FileOperand[] {
  const files = behind(/^(?:[\w.-]*=)?[@<]/, word);
  return files.map((file) => ({ ...file, pattern: file.pattern?.replace(/;.*$/s, "") }));
}

/** `name@file` of curl. */
function behindNameAt(word: ShellWord): FileOperand[] {
  const files = behind(/^%?[\w.-]+@/, word);
  return files.length > 0 ? files : behindAt(word);
}

/** The files that `cp a b folder` writes: `folder/a` and `folder/b`, whether or not the folder exists. */
export function copiedPaths(part: CommandPart, home: string): string[] {
  const head = programName(part);
  if (head === undefined || !/^(cp|mv|ln|install|rsync|scp)$/.test(head)) return [];
  const args = part.words.slice(1);
  const names = args.filter((word) => staticValue(word) !== undefined && !staticValue(word)?.startsWith("-"));
  const [target] = /^(rsync|scp)$/.test(head) ? [] : optionValues(args, "-t= --target-directory=");
  const folder = target ?? names.at(-1);
  if (folder === undefined) return [];
  const { paths } = pathsOf(folder, part.places, home);
  return names
    .filter((word) => word !== folder)
    .flatMap((from) => {
      const name = staticValue(from)?.replace(/\/+$/, "").split("/").at(-1) ?? "";
      return paths.map((path) => `${path}/${name}`);
    });
}

/** The paths that a word may name in the folders of a part. `sure` is false if there may be others. */
export function pathsOf(word: ShellWord, places: Places, home: string): { paths: string[]; sure: boolean } {
  const text = staticValue(word);
  if (text === undefined) {
    // A tilde is home, or a literal name if there is no such user.
    const paths = word.tilde === undefined ? [] : [home + word.tilde, ...below(places, `~${word.tilde}`)];
    return { paths, sure: false };
  }
  return text.startsWith("/") ? { paths: [text], sure: true } : { paths: below(places, text), sure: !places.unknown };
}

function below(places: Places, name: string): string[] {
  return places.folders.map((folder) => `${folder}/${name}`);
}
