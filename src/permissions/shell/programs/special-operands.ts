import { type ShellWord, staticValue } from "../shell-part.ts";
import { escapePattern, patternsOf } from "../word-pieces.ts";
import type { FileOperand, FileProgram } from "./file-programs.ts";
import { readGlobalOptions } from "./git-commands.ts";
import { cutWord, isOption, isValueOf, optionValues } from "./program-options.ts";

/** Verbs that show or copy the content of files. */
const reading = new Set("diff difftool show log blame annotate grep add stage hash-object archive cat-file".split(" "));
/** Verbs that change files. */
const writing = new Set("rm mv checkout restore".split(" "));

/** Letters of options whose value, in the next word, is text. For other verbs they have no value. */
const textOf: Readonly<Record<string, string>> = {
  grep: "eABCm",
  log: "SGnUO",
  show: "SGnUO",
  diff: "SGUO",
  blame: "LS",
};

/** Whether a word is text, such as a search pattern, an author or a number. */
function isText(verb: string, before: ShellWord | undefined): boolean {
  return (
    isValueOf(textOf[verb] ?? "", before) ||
    /^--(grep|author|committer|since|until|format)$/.test(before?.pieces[0] ?? "")
  );
}

/** The file in `HEAD:file`, `:file`, `:0:file`, `:(top)file` or `1,5:file`. `:!file` excludes a file. */
function filesIn(pattern: string): string[] {
  if (/^:[!^]/.test(pattern)) return [];
  const file = pattern.replace(/^(?::(?:\d:|\/|\([^)]*\))?|[^/:]+:)(?=.)/, "");
  // `origin/main:file` and `:function:file` may also be a name with a colon.
  const behind = file.slice(file.lastIndexOf(":") + 1);
  return behind === "" || behind === file ? [file] : [file, behind];
}

/**
 * The words after a verb of git that may be files; of `commit:file` the file. A word may as well be a branch, so only known names and
 * those of variables that the script sets count.
 */
export function gitOperands(args: readonly ShellWord[]): FileOperand[] {
  const { verb, rest, folders } = readGlobalOptions(args);
  const access = reading.has(verb) ? "read" : writing.has(verb) ? "write" : undefined;
  if (access === undefined) return [];
  const from = folders.reduce((way, folder) => `${folder.startsWith("/") ? "" : way}${escapePattern(folder)}/`, "");
  // `git log -L1,5:file` shows lines of a file.
  const words = rest.map((word) => (verb === "log" && /^-L./.test(word.pieces[0]) ? cutWord(word, 2) : word));
  const operands = words.filter((word, index) => !isOption(word) && !isText(verb, rest[index - 1]));
  const given = rest.some((word) => /^(-[A-Za-z]*[ef]|--regexp)/.test(word.pieces[0]));
  // Equal words name the same files.
  const named = new Map(operands.slice(verb === "grep" && !given ? 1 : 0).map((word) => [word.raw, word]));
  return [...named.values()].flatMap((word) => {
    const files = (patternsOf(word) ?? []).flatMap(filesIn).map((file) => (file.startsWith("/") ? file : from + file));
    return files.map((pattern) => ({ pattern, raw: word.raw, access }));
  });
}

/** The words that name files which a program writes, although it reads most of its operands. */
export function writtenWords(head: string, args: readonly ShellWord[], program: FileProgram): readonly ShellWord[] {
  if (head === "tar") return writtenByTar(args);
  const plain = args.filter((word, index) => !isOption(word) && !isValueOf(program.text, args[index - 1]));
  if (/^(gzip|bzip2|xz)$/.test(head)) return args.some((word) => keepsSource.test(word.pieces[0])) ? [] : plain;
  // awk -i inplace, yq -i
  const inPlace = /^([gmn]?awk)$/.test(head)
    ? /^(?:-\w*i|--i\w*=)?(?:\S*\/)?inplace/
    : head === "yq"
      ? /^(-[a-zA-Z]*i|--inplace)/
      : undefined;
  if (inPlace) return args.some((word) => inPlace.test(word.pieces[0])) ? plain : [];
  const named = optionValues(args, program.outputs ?? "");
  return program.writesOperand === undefined ? named : [...named, ...plain.slice(program.writesOperand).slice(0, 1)];
}

/** With these options the file is only printed, listed, tested or kept. */
const keepsSource = /^(-[a-zA-Z]*[ckltV]|--(stdout|to-stdout|keep|list|test|version|help))/;

/** The file of an archive that is created, and the folder into which one is extracted. */
function writtenByTar(args: readonly ShellWord[]): readonly ShellWord[] {
  const words = withDashes(args);
  const does = (letter: RegExp, long: RegExp) =>
    words.some(({ pieces: [text] }) => (text.startsWith("--") ? long : letter).test(text));
  return [
    ...(does(/^-[A-Za-z]*[cruA]/, /^--(create|append|update|concatenate|catenate|delete)$/)
      ? optionValues(words, "-f= --file=")
      : []),
    ...(does(/^-[A-Za-z]*x/, /^--(extract|get)$/) ? optionValues(words, "-C= --directory=") : []),
  ];
}

/** `tar xfC a dir` as `tar -x -f a -C dir`: without a dash the values follow in the order of the letters. */
export function withDashes(args: readonly ShellWord[]): readonly ShellWord[] {
  const [first, ...rest] = args;
  const letters = first && /^[A-Za-z]+$/.exec(staticValue(first) ?? "")?.[0];
  if (first === undefined || letters === undefined) return args;
  const words: ShellWord[] = [];
  for (const letter of letters) {
    words.push({ ...first, pieces: [`-${letter}`] });
    const value = "bCfFgHIKLNTVX".includes(letter) ? rest.shift() : undefined;
    if (value) words.push(value);
  }
  return [...words, ...rest];
}
