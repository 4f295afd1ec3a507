import { fitsPieces } from "../../protocol/index.ts";
import { readSpec } from "./spec.ts";
import { type Glob, overlap } from "./spec-glob.ts";

/** What a command rule covers. */
export interface CommandPattern {
  /** Any text that fits one of these; a final ` *` gives two, the bare words and the words with more behind. */
  readonly forms: readonly Glob[];
  /** True without any `*`: one text and nothing else. */
  readonly exact: boolean;
  /** The blank-separated words of the pattern that say something; a word may hold gaps. */
  readonly words: readonly Glob[];
}

export function compileCommand(spec: string): CommandPattern {
  const glob = readSpec(spec.endsWith(":*") ? `${spec.slice(0, -2).trimEnd()} *` : spec);
  return { forms: formsOf(glob), exact: glob.length === 1, words: wordsOf(glob) };
}

/** Whether the pattern covers a text whose every character is known. */
export function covers(pattern: CommandPattern, text: string): boolean {
  // Loops, here and below: these run for every rule and every part, and closures would be most of the garbage.
  for (const form of pattern.forms) if (fitsPieces(form, text)) return true;
  return false;
}

/** Whether the pattern covers a text for some value of its gaps. */
export function couldCover(pattern: CommandPattern, text: Glob): boolean {
  for (const form of pattern.forms) if (overlap(form, text)) return true;
  return false;
}

function formsOf(glob: Glob): Glob[] {
  const [last, before] = [glob.at(-1), glob.at(-2)];
  if (last !== "" || before === undefined || !before.endsWith(" ")) return [glob];
  const [first = "", ...rest] = [...glob.slice(0, -2), before.trimEnd()];
  return [[first, ...rest], glob];
}

/** `git * --x*` gives `git` and `--x*`: a word that is only a gap says nothing. */
function wordsOf(glob: Glob): Glob[] {
  const words: [string, ...string[]][] = [[""]];
  for (const [index, piece] of glob.entries()) {
    if (index > 0) words.at(-1)?.push("");
    for (const [part, text] of piece.split(" ").entries()) {
      if (part > 0) words.push([""]);
      const word = words.at(-1);
      if (word) word[word.length - 1] += text;
    }
  }
  return words.filter((word) => word.some((piece) => piece !== ""));
}
