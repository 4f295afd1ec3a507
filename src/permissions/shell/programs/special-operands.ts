import { type ShellWord, staticValue } from "../shell-part.ts";
import { escapePattern } from "../word-pieces.ts";
import { readLine } from "./git-commands.ts";
import { cutWord, isOption, isValueOf } from "./option-values.ts";

/** Verbs that show what is in the files they are given, or put it elsewhere. */
const reading = new Set("diff difftool show log blame annotate grep add stage hash-object archive cat-file".split(" "));
/** Verbs that change the files they are given. */
const writing = new Set("rm mv checkout restore".split(" "));

/** Letters whose value, in the next word, is text: what to look for, a number. Of other verbs they are letters without a value. */
const textOf: Readonly<Record<string, string>> = {
  grep: "eABCm",
  log: "SGnUO",
  show: "SGnUO",
  diff: "SGUO",
  blame: "LS",
};

/** Whether the word behind is text: what to look for, an author, a number. */
function isText(verb: string, before: ShellWord | undefined): boolean {
  return (
    isValueOf(textOf[verb] ?? "", before) ||
    /^--(grep|author|committer|since|until|format)$/.test(before?.pieces[0] ?? "")
  );
}

/** `HEAD:file`, `:file`, `:0:file`, `:(top)file`, `1,5:file`: the file. What `:!file` names is left out. */
function filesIn(pattern: string): string[] {
  if (/^:[!^]/.test(pattern)) return [];
  const file = pattern.replace(/^(?::(?:\d:|\/|\([^)]*\))?|[^/:]+:)(?=.)/, "");
  // `origin/main:file` and `:function:file` may also be a name with a colon.
  const behind = file.slice(file.lastIndexOf(":") + 1);
  return behind === "" || behind === file ? [file] : [file, behind];
}

/** A file among the words of git, as a pattern of bash. */
export interface GitOperand {
  readonly pattern: string;
  readonly raw: string;
  readonly access: "read" | "write";
}

/**
 * The words behind a verb of git that may be files, and of `commit:file` the file. A word may as well be a branch: only names that are
 * known count, and those of variables that the script sets.
 */
export function gitOperands(args: readonly ShellWord[]): GitOperand[] {
  const { verb, rest, folders } = readLine(args);
  const access = reading.has(verb) ? "read" : writing.has(verb) ? "write" : undefined;
  if (access === undefined) return [];
  const from = folders.reduce((way, folder) => `${folder.startsWith("/") ? "" : way}${escapePattern(folder)}/`, "");
  // `git log -L1,5:file` shows lines of a file.
  const words = rest.map((word) => (verb === "log" && /^-L./.test(word.pieces[0]) ? cutWord(word, 2) : word));
  const operands = words.filter((word, index) => !isOption(word) && !isText(verb, rest[index - 1]));
  const given = rest.some((word) => /^(-[A-Za-z]*[ef]|--regexp)/.test(word.pieces[0]));
  // A spelling that comes again names the same files.
  const named = new Map(operands.slice(verb === "grep" && !given ? 1 : 0).map((word) => [word.raw, word]));
  return [...named.values()].flatMap((word) => {
    const text = staticValue(word);
    const patterns = text === undefined ? (word.expansions ?? []) : [escapePattern(text)];
    return patterns.flatMap(filesIn).map((file) => {
      return { pattern: file.startsWith("/") ? file : from + file, raw: word.raw, access };
    });
  });
}
