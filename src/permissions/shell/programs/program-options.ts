import { getOrMake } from "../../paths/path-fs.ts";
import { type ShellWord, staticValue } from "../shell-part.ts";

/** The known options of a program. A line with any other option cannot be read. */
export interface OptionGrammar {
  /** As for `parseUsage`. Letters may be combined, as in `-la`. */
  readonly usage?: string;
  /** Other words that are options, e.g. `-5`. */
  readonly also?: RegExp;
  /** What follows the first operand is an operand too. */
  readonly inOrder?: boolean;
  /** `+x` is an option like `-x`, as for shells. */
  readonly plus?: boolean;
}

/** Whether an option has no value, one in the same or the next word, or at most one in the same word. */
type ValueForm = "none" | "needed" | "attached";

interface Usage {
  readonly letters: ReadonlyMap<string, ValueForm>;
  readonly long: ReadonlyMap<string, ValueForm>;
}

const parsed = new Map<string, Usage>();

/** Parses a usage line: in `-abc -n= --all --sort= --color[=]` the options -n and --sort need a value, and --color may have one. */
function parseUsage(usage: string): Usage {
  return getOrMake(parsed, usage, () => {
    const [letters, long] = [new Map<string, ValueForm>(), new Map<string, ValueForm>()];
    for (const [, dashes, name = "", sign] of usage.matchAll(/(--?)([^ =[]+)(\[?=\]?)?/g)) {
      const form = sign === undefined ? "none" : sign === "=" ? "needed" : "attached";
      if (dashes === "--") long.set(`--${name}`, form);
      else for (const letter of name) letters.set(letter, form);
    }
    return { letters, long };
  });
}

/** An option's letter or long name, with its value. */
interface ProgramOption {
  readonly name: string;
  readonly value?: ShellWord;
}

/** Reads the options before the first operand, with which `rest` begins. Undefined if a word or an option is unknown. */
export function readOptions(words: readonly ShellWord[], grammar: OptionGrammar) {
  const options: ProgramOption[] = [];
  const read = readFrom(words, 0, grammar, options);
  return read && { options, rest: words.slice(read.next) };
}

/**
 * Reads options anywhere among the operands, as GNU programs do. `unknownIsText`: an unknown word is an operand, unless it begins with
 * a dash.
 */
export function readProgramArguments(words: readonly ShellWord[], grammar: OptionGrammar, unknownIsText: boolean) {
  const options: ProgramOption[] = [];
  const operands: ShellWord[] = [];
  for (let index = 0; index < words.length; index++) {
    const read = readFrom(words, index, grammar, options, unknownIsText);
    if (read === undefined) return undefined;
    if (read.ended || grammar.inOrder) return { options, operands: [...operands, ...words.slice(read.next)] };
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
  unknownIsText = false,
) {
  for (let index = start; index < words.length; index++) {
    const word = words[index];
    if (word === undefined) break;
    const text = staticValue(word);
    if (text === undefined) {
      // A word whose known start is not that of an option is an operand, even if the rest is unknown.
      const operand = unknownIsText ? /^(?!-)/ : grammar.plus ? /^[^-+]/ : /^[^-]/;
      if ((unknownIsText || !word.splits) && operand.test(word.pieces[0])) return { next: index, ended: false };
      // The unknown rest belongs to the value of an option that begins before it.
      const known = word.splits ? [] : (readOption(word.pieces[0], word, grammar) ?? []);
      const last = known.at(-1);
      const isRest = unknownIsText && last?.needsValue !== undefined;
      const value = last?.value ?? (isRest ? cutWord(word, word.pieces[0].length) : undefined);
      if (last === undefined || value === undefined) return undefined;
      options.push(...known.slice(0, -1), { name: last.name, value });
      continue;
    }
    if (text === "--") return { next: index + 1, ended: true };
    if (grammar.also?.test(text)) {
      options.push({ name: text });
      continue;
    }
    // `+` alone is an option without letters.
    const plus = grammar.plus === true && text.startsWith("+");
    if (!plus && (!text.startsWith("-") || text === "-")) return { next: index, ended: false };
    const read = readOption(text, word, grammar);
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

/**
 * Where the inner command may begin, for a program whose options are only partly known: behind its operands, and its options before and after these. An option that is not known
 * may take any number of words and may stand for an operand, so then the command may be any later word.
 */
export function commandStarts(
  words: readonly ShellWord[],
  grammar: OptionGrammar,
  operands: number,
): readonly number[] {
  let [index, left] = [0, operands];
  for (let word = words[0]; word !== undefined; word = words[index]) {
    if (staticValue(word) === "--") return [index + 1 + left];
    const isOperand = !isOption(word) || staticValue(word) === "-";
    const width = isOperand ? left : optionWidth(word, grammar);
    if (width === undefined || word.splits) return [...words.keys()].slice(isOperand ? index + left : index + 1);
    if (width === 0) return [index];
    index += width;
    if (isOperand) left = 0;
  }
  return [];
}

/** The number of words of an option, including itself. Undefined if the option is not known. */
function optionWidth(word: ShellWord, grammar: OptionGrammar): number | undefined {
  const text = staticValue(word);
  if (text === undefined) return undefined;
  if (grammar.also?.test(text)) return 1;
  const read = readOption(text, word, grammar);
  if (read !== undefined) return read.at(-1)?.needsValue ? 2 : 1;
  return text.includes("=") ? 1 : undefined;
}

interface ReadOption extends ProgramOption {
  /** The value is the next word. */
  readonly needsValue?: boolean;
}

/** The options in one word: a long one, or letters. */
function readOption(text: string, word: ShellWord, { usage = "" }: OptionGrammar): ReadOption[] | undefined {
  const { letters, long } = parseUsage(usage);
  if (text.startsWith("--")) {
    const name = /^[^=]*/.exec(text)?.[0] ?? "";
    const form = long.get(name);
    if (form === undefined) return undefined;
    if (name === text) return [{ name, needsValue: form === "needed" }];
    return form === "none" ? undefined : [{ name, value: cutWord(word, name.length + 1) }];
  }
  const read: ReadOption[] = [];
  for (let index = 1; index < text.length; index++) {
    const name = text[index] ?? "";
    const form = letters.get(name);
    if (form === undefined) return undefined;
    if (form === "none") read.push({ name });
    else
      return [
        ...read,
        index + 1 === text.length ? { name, needsValue: form === "needed" } : { name, value: cutWord(word, index + 1) },
      ];
  }
  return read;
}

const shortestAbbreviation = 3;

/**
 * The values of certain options anywhere in a line. `wanted` is a usage line; long names may be abbreviated as in getopt, but not to one without a value. Finds too many
 * rather than too few: in a cluster such as `-avze` any letter may be the last, unless `flags` matches what may precede it.
 */
export function optionValues(words: readonly ShellWord[], wanted: string, flags?: RegExp): ShellWord[] {
  const { letters, long } = parseUsage(wanted);
  return words.flatMap((word, index) => {
    const [first] = word.pieces;
    const next = words[index + 1];
    if (!first.startsWith("-")) return [];
    if (first.startsWith("--")) return longValue(word, next, long);
    const cluster = /^-[A-Za-z0-9#]*/.exec(first)?.[0] ?? "";
    return [...letters.keys()].flatMap((letter) => {
      const at = cluster.indexOf(letter, 1);
      if (at < 0 || flags?.test(cluster.slice(1, at)) === false) return [];
      const value = cutWord(word, at + 1);
      return staticValue(value) === "" ? (next ? [next] : []) : [value];
    });
  });
}

function longValue(word: ShellWord, next: ShellWord | undefined, options: Usage["long"]): ShellWord[] {
  const [first] = word.pieces;
  const long = [...options.keys()];
  const equals = first.indexOf("=");
  const name = equals < 0 ? first : first.slice(0, equals);
  // `--fi$x=…`: the unknown part may be empty or the rest of the name.
  if (equals < 0 && word.pieces.length > 1) return long.some((option) => option.startsWith(first)) ? [word] : [];
  if (options.get(name) === "none" || !long.some((option) => option === name || isAbbreviation(name, option)))
    return [];
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
