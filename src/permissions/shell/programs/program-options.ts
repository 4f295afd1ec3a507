import { type ShellWord, staticValue } from "../shell-part.ts";

/** The known options of a program. A line with any other option cannot be read. */
export interface OptionGrammar {
  /** Letters of options without a value. They may be combined, as in `-la`. */
  readonly flags?: string;
  /** Letters of options with a value, in the same word or the next. */
  readonly valued?: string;
  readonly long?: readonly string[];
  readonly longValued?: readonly string[];
  /** Long options whose value, if any, follows an equals sign. */
  readonly longOptional?: readonly string[];
  /** Other words that are options, e.g. `-5`. */
  readonly also?: RegExp;
  /** `+x` is an option like `-x`, as for shells. */
  readonly plus?: boolean;
}

/** Parses a usage line: `-abc -n= --all --color=` has the flags a, b and c; `-n` and `--color` take a value. */
export function grammarOf(usage: string): OptionGrammar {
  const options = usage.split(" ");
  const letters = (pattern: RegExp) => options.flatMap((option) => pattern.exec(option)?.[1] ?? []).join("");
  const [flags, valued] = [letters(/^-([^-=]+)$/), letters(/^-([^-=]+)=$/)];
  const long = options.filter((option) => /^--[^=]+$/.test(option));
  const longValued = options.filter((option) => /^--[^=]+=$/.test(option)).map((option) => option.slice(0, -1));
  return { flags, valued, long, longValued };
}

/** A table whose rows are built on their first lookup, so that loading the module is cheap. */
export function lazyTable<T>(rows: Readonly<Record<string, () => T>>): (name: string) => T | undefined {
  const built = new Map<string, T>();
  return (name) => {
    if (!built.has(name) && Object.hasOwn(rows, name)) built.set(name, (rows[name] as () => T)());
    return built.get(name);
  };
}

/** An option's letter or long name, with its value. */
export interface ProgramOption {
  readonly name: string;
  readonly value?: ShellWord;
}

export interface ReadOptions {
  readonly options: readonly ProgramOption[];
  /** The words from the first operand on. */
  readonly rest: readonly ShellWord[];
}

/** Reads the options before the first operand. Undefined if a word or an option is unknown. */
export function readOptions(words: readonly ShellWord[], grammar: OptionGrammar): ReadOptions | undefined {
  const options: ProgramOption[] = [];
  const read = readFrom(words, 0, grammar, options);
  return read && { options, rest: words.slice(read.next) };
}

/** Reads options anywhere among the operands, as GNU programs do. `unknownIsText`: an unknown word is an operand. */
export function readProgramArguments(
  words: readonly ShellWord[],
  grammar: OptionGrammar,
  unknownIsText: boolean,
): { options: readonly ProgramOption[]; operands: readonly ShellWord[] } | undefined {
  const options: ProgramOption[] = [];
  const operands: ShellWord[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index];
    if (word && unknownIsText && staticValue(word) === undefined) {
      operands.push(word);
      continue;
    }
    const read = readFrom(words, index, grammar, options);
    if (read === undefined) return undefined;
    if (read.ended) return { options, operands: [...operands, ...words.slice(read.next)] };
    index = read.next;
    const operand = words[index];
    if (operand) operands.push(operand);
  }
  return { options, operands };
}

/** Reads options from `start` on. `next` is the first operand; `ended` is true if `--` precedes it. */
function readFrom(
  words: readonly ShellWord[],
  start: number,
  grammar: OptionGrammar,
  options: ProgramOption[],
): { next: number; ended: boolean } | undefined {
  for (let index = start; index < words.length; index++) {
    const word = words[index];
    if (word === undefined) break;
    const text = staticValue(word);
    if (text === undefined) {
      // A word whose known start is not that of an option is an operand, even if the rest is unknown.
      const operand = grammar.plus ? /^[^-+]/ : /^[^-]/;
      return !word.splits && operand.test(word.pieces[0]) ? { next: index, ended: false } : undefined;
    }
    if (text === "--") return { next: index + 1, ended: true };
    if (grammar.also?.test(text)) {
      options.push({ name: text });
      continue;
    }
    // `+` alone is an option without letters.
    const plus = grammar.plus === true && text.startsWith("+");
    if (!plus && (!text.startsWith("-") || text === "-")) return { next: index, ended: false };
    const read = text.startsWith("--") ? readLong(text, word, grammar) : readCluster(text, word, grammar);
    if (read === undefined) return undefined;
    const last = read.at(-1);
    if (last?.needsValue) {
      const value = words[index + 1];
      if (value === undefined || value.splits) return undefined;
      options.push(...read.slice(0, -1), { name: last.name, value });
      index += 1;
    } else {
      options.push(...read);
    }
  }
  return { next: words.length, ended: false };
}

const maxReadings = 16;

/**
 * Where the operands may begin, for a program whose options are only partly known: an unknown option may or may not take the next
 * word. Undefined if there are too many possibilities.
 */
export function operandStarts(words: readonly ShellWord[], grammar: OptionGrammar): readonly number[] | undefined {
  const starts = new Set<number>();
  const seen = new Set<number>([0]);
  for (const index of seen) {
    if (seen.size > maxReadings) return undefined;
    const word = words[index];
    if (word === undefined) continue;
    const text = word.pieces[0];
    if (staticValue(word) === "--") starts.add(index + 1);
    else if (!text.startsWith("-") || text === "-") starts.add(index);
    else for (const next of afterOption(word, grammar)) seen.add(index + next);
  }
  return [...starts].sort((a, b) => a - b);
}

/** The possible numbers of words of an option, including itself. */
function afterOption(word: ShellWord, grammar: OptionGrammar): readonly number[] {
  const text = staticValue(word);
  if (text === undefined || grammar.also?.test(text)) return [1];
  const read = text.startsWith("--") ? readLong(text, word, grammar) : readCluster(text, word, grammar);
  if (read !== undefined) return [read.at(-1)?.needsValue ? 2 : 1];
  return text.includes("=") ? [1] : [1, 2];
}

interface ReadOption extends ProgramOption {
  /** The value is the next word. */
  readonly needsValue?: boolean;
}

function readLong(text: string, word: ShellWord, grammar: OptionGrammar): ReadOption[] | undefined {
  const equals = text.indexOf("=");
  const name = equals < 0 ? text : text.slice(0, equals);
  if (grammar.longValued?.includes(name)) {
    return equals < 0 ? [{ name, needsValue: true }] : [{ name, value: piece(word, text.slice(equals + 1)) }];
  }
  if (grammar.longOptional?.includes(name))
    return [equals < 0 ? { name } : { name, value: piece(word, text.slice(equals + 1)) }];
  return equals < 0 && grammar.long?.includes(name) ? [{ name }] : undefined;
}

function readCluster(text: string, word: ShellWord, grammar: OptionGrammar): ReadOption[] | undefined {
  const read: ReadOption[] = [];
  for (let index = 1; index < text.length; index++) {
    const name = text[index] ?? "";
    if (grammar.valued?.includes(name)) {
      const value = text.slice(index + 1);
      read.push(value === "" ? { name, needsValue: true } : { name, value: piece(word, value) });
      return read;
    }
    if (!grammar.flags?.includes(name)) return undefined;
    read.push({ name });
  }
  return read;
}

function piece(word: ShellWord, value: string): ShellWord {
  return { ...word, pieces: [value], raw: value };
}

/** Options to find: letters, and long names, which may be abbreviated as in getopt. */
export interface WantedOptions {
  readonly short?: string;
  readonly long?: readonly string[];
  /** Letters that may precede one of `short` in a cluster. Default: any. */
  readonly flags?: string;
}

const shortestAbbreviation = 3;

/**
 * The values of certain options anywhere in a line. Finds too many rather than too few: in a cluster such as `-avze` any letter may
 * be the last.
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
  // `--fi$x=…`: the unknown part may be empty or the rest of the name.
  if (equals < 0 && word.pieces.length > 1) return long.some((option) => option.startsWith(first)) ? [word] : [];
  if (!long.some((option) => option === name || isAbbreviation(name, option))) return [];
  if (equals >= 0) return [cutWord(word, equals + 1)];
  return next ? [next] : [];
}

export function isAbbreviation(name: string, option: string): boolean {
  return name.length >= shortestAbbreviation && option.startsWith(name);
}

/** The word without its first `length` characters, which must be known. */
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

/** Whether the word before ends with one of the letters of options that take a value. */
export function isValueOf(letters: string, before: ShellWord | undefined): boolean {
  const letter = (before && /^-[A-Za-z]*([A-Za-z])$/.exec(staticValue(before) ?? "")?.[1]) ?? "";
  return letter !== "" && letters.includes(letter);
}
