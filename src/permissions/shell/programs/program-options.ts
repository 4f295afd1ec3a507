import { type ShellWord, staticValue } from "../shell-part.ts";

/** The options of a program, as far as they are known. Any other makes the line unreadable. */
export interface OptionGrammar {
  /** Letters that take no value and may stand together. */
  readonly flags?: string;
  /** Letters that take a value, in the same word or the next. */
  readonly valued?: string;
  readonly long?: readonly string[];
  readonly longValued?: readonly string[];
  /** Long options whose value, if any, stands behind an equals sign. */
  readonly longOptional?: readonly string[];
  /** Whole words that count as an option besides, e.g. `-5`. */
  readonly also?: RegExp;
  /** `+x` is an option like `-x`, as shells read it. */
  readonly plus?: boolean;
}

/** A grammar as a usage line has it: `-abc -n= --all --color=` has the flags a, b and c; `-n` and `--color` take a value. */
export function grammarOf(usage: string): OptionGrammar {
  const options = usage.split(" ");
  const letters = (pattern: RegExp) => options.flatMap((option) => pattern.exec(option)?.[1] ?? []).join("");
  const [flags, valued] = [letters(/^-([^-=]+)$/), letters(/^-([^-=]+)=$/)];
  const long = options.filter((option) => /^--[^=]+$/.test(option));
  const longValued = options.filter((option) => /^--[^=]+=$/.test(option)).map((option) => option.slice(0, -1));
  return {
    ...(flags === "" ? {} : { flags }),
    ...(valued === "" ? {} : { valued }),
    ...(long.length === 0 ? {} : { long }),
    ...(longValued.length === 0 ? {} : { longValued }),
  };
}

/** An option's letter or long name, with its value. */
export interface Option {
  readonly name: string;
  readonly value?: ShellWord;
}

export interface ReadOptions {
  readonly options: readonly Option[];
  /** The words from the first operand on. */
  readonly rest: readonly ShellWord[];
}

/** The leading options of a line, or undefined when a word is not known or an option is none of the grammar's. */
export function readOptions(words: readonly ShellWord[], grammar: OptionGrammar): ReadOptions | undefined {
  const options: Option[] = [];
  const read = readFrom(words, 0, grammar, options);
  return read && { options, rest: words.slice(read.next) };
}

/** Options anywhere among the operands, as GNU programs take them. `unknownIsText`: a word that is not known is an operand. */
export function readArguments(
  words: readonly ShellWord[],
  grammar: OptionGrammar,
  unknownIsText: boolean,
): { options: readonly Option[]; operands: readonly ShellWord[] } | undefined {
  const options: Option[] = [];
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

/** Reads options from `start` on; `next` is the first operand, `ended` tells of a `--` before it. */
function readFrom(
  words: readonly ShellWord[],
  start: number,
  grammar: OptionGrammar,
  options: Option[],
): { next: number; ended: boolean } | undefined {
  for (let index = start; index < words.length; index++) {
    const word = words[index];
    if (word === undefined) break;
    const text = staticValue(word);
    if (text === undefined) {
      // A word that begins with known text other than a sign of options is an operand, whatever the rest of it is.
      const operand = grammar.plus ? /^[^-+]/ : /^[^-]/;
      return !word.splits && operand.test(word.pieces[0]) ? { next: index, ended: false } : undefined;
    }
    if (text === "--") return { next: index + 1, ended: true };
    if (grammar.also?.test(text)) {
      options.push({ name: text });
      continue;
    }
    // A plus alone is an option too, one without letters.
    const plus = grammar.plus === true && text.startsWith("+");
    if (!plus && (!text.startsWith("-") || text === "-")) return { next: index, ended: false };
    const read = text.startsWith("--") ? readLong(text, word, grammar) : readCluster(text, word, grammar);
    if (read === undefined) return undefined;
    const last = read.at(-1);
    if (last?.wants) {
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

const mostReadings = 16;

/**
 * Where the operands of a line may begin, for a program whose options are only partly known: an option that is not in the
 * grammar may or may not take the next word. Undefined when there are too many possibilities.
 */
export function operandStarts(words: readonly ShellWord[], grammar: OptionGrammar): readonly number[] | undefined {
  const starts = new Set<number>();
  const seen = new Set<number>([0]);
  for (const index of seen) {
    if (seen.size > mostReadings) return undefined;
    const word = words[index];
    if (word === undefined) continue;
    const text = word.pieces[0];
    if (staticValue(word) === "--") starts.add(index + 1);
    else if (!text.startsWith("-") || text === "-") starts.add(index);
    else for (const next of afterOption(word, grammar)) seen.add(index + next);
  }
  return [...starts].sort((a, b) => a - b);
}

/** How many words an option may take, itself included. */
function afterOption(word: ShellWord, grammar: OptionGrammar): readonly number[] {
  const text = staticValue(word);
  if (text === undefined || grammar.also?.test(text)) return [1];
  const read = text.startsWith("--") ? readLong(text, word, grammar) : readCluster(text, word, grammar);
  if (read !== undefined) return [read.at(-1)?.wants ? 2 : 1];
  return text.includes("=") ? [1] : [1, 2];
}

interface One {
  readonly name: string;
  readonly value?: ShellWord;
  readonly wants?: boolean;
}

function readLong(text: string, word: ShellWord, grammar: OptionGrammar): One[] | undefined {
  const equals = text.indexOf("=");
  const name = equals < 0 ? text : text.slice(0, equals);
  if (grammar.longValued?.includes(name)) {
    return equals < 0 ? [{ name, wants: true }] : [{ name, value: piece(word, text.slice(equals + 1)) }];
  }
  if (grammar.longOptional?.includes(name))
    return [equals < 0 ? { name } : { name, value: piece(word, text.slice(equals + 1)) }];
  return equals < 0 && grammar.long?.includes(name) ? [{ name }] : undefined;
}

function readCluster(text: string, word: ShellWord, grammar: OptionGrammar): One[] | undefined {
  const read: One[] = [];
  for (let index = 1; index < text.length; index++) {
    const name = text[index] ?? "";
    if (grammar.valued?.includes(name)) {
      const value = text.slice(index + 1);
      read.push(value === "" ? { name, wants: true } : { name, value: piece(word, value) });
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
