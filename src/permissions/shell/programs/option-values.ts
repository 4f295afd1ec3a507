import { type ShellWord, staticValue } from "../shell-part.ts";

/** Options to look for: letters, and long names that may be cut short as getopt allows. */
export interface WantedOptions {
  readonly short?: string;
  readonly long?: readonly string[];
  /** Letters that may stand before one of `short` in a cluster; any if absent. */
  readonly flags?: string;
}

const shortestAbbreviation = 3;

/**
 * The values that some options have anywhere in a line, whatever else is in it. It finds too many rather than too few: in
 * a cluster such as `-avze` any letter may be the last.
 */
export function optionValues(words: readonly ShellWord[], wanted: WantedOptions): ShellWord[] {
  return words.flatMap((word, index) => {
    const [first] = word.pieces;
    const next = words[index + 1];
    if (first.startsWith("--")) return longValue(word, next, wanted.long ?? []);
    const cluster = /^-[A-Za-z0-9]*/.exec(first)?.[0] ?? "";
    return Array.from(wanted.short ?? "").flatMap((letter) => {
      const at = cluster.indexOf(letter, 1);
      const { flags } = wanted;
      if (at < 0 || (flags !== undefined && Array.from(cluster.slice(1, at)).some((flag) => !flags.includes(flag)))) {
        return [];
      }
      const value = cutWord(word, at + 1);
      return staticValue(value) === "" ? (next ? [next] : []) : [value];
    });
  });
}

function longValue(word: ShellWord, next: ShellWord | undefined, long: readonly string[]): ShellWord[] {
  const [first] = word.pieces;
  const equals = first.indexOf("=");
  const name = equals < 0 ? first : first.slice(0, equals);
  // `--fi$x=…`: what is not known may be nothing, or the rest of the name.
  if (equals < 0 && word.pieces.length > 1) return long.some((option) => option.startsWith(first)) ? [word] : [];
  const known = long.some((option) => option === name || isAbbreviation(name, option));
  if (!known) return [];
  if (equals >= 0) return [cutWord(word, equals + 1)];
  return next ? [next] : [];
}

export function isAbbreviation(name: string, option: string): boolean {
  return name.length >= shortestAbbreviation && option.startsWith(name);
}

/** The word without its first characters, which are known. */
export function cutWord(word: ShellWord, length: number): ShellWord {
  const [first, ...rest] = word.pieces;
  return {
    ...word,
    pieces: [first.slice(length), ...rest],
    raw: word.raw.startsWith(first) ? word.raw.slice(length) : word.raw,
  };
}

export function isOption(word: ShellWord): boolean {
  return word.pieces[0].startsWith("-");
}

/** Whether the word before is an option, alone or at the end of a cluster, that takes a value. */
export function isValueOf(letters: string, before: ShellWord | undefined): boolean {
  const letter = (before && /^-[A-Za-z]*([A-Za-z])$/.exec(staticValue(before) ?? "")?.[1]) ?? "";
  return letter !== "" && letters.includes(letter);
}
