import { type ShellWord, staticValue } from "./part.ts";

/** The options of a program, as far as they are known. Any other makes the line unreadable. */
export interface OptionGrammar {
  /** Letters that take no value and may stand together. */
  readonly flags?: string;
  /** Letters that take a value, in the same word or the next. */
  readonly valued?: string;
  readonly long?: readonly string[];
  readonly longValued?: readonly string[];
  /** Whole words that count as an option besides, e.g. `-5`. */
  readonly also?: RegExp;
}

export interface ReadOptions {
  /** Option letters and long names in order, with their value. */
  readonly options: readonly { readonly name: string; readonly value?: ShellWord }[];
  /** The words from the first operand on. */
  readonly rest: readonly ShellWord[];
}

/** The leading options of a line, or undefined when a word is not known or an option is none of the grammar's. */
export function readOptions(words: readonly ShellWord[], grammar: OptionGrammar): ReadOptions | undefined {
  const options: { name: string; value?: ShellWord }[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index];
    if (word === undefined) break;
    const text = staticValue(word);
    if (text === undefined) {
      // A word that begins with known text other than a dash is an operand, whatever the rest of it is.
      if (!word.splits && /^[^-]/.test(word.pieces[0])) return { options, rest: words.slice(index) };
      return undefined;
    }
    if (text === "--") return { options, rest: words.slice(index + 1) };
    if (grammar.also?.test(text)) {
      options.push({ name: text });
      continue;
    }
    if (!text.startsWith("-") || text === "-") return { options, rest: words.slice(index) };
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
  return { options, rest: [] };
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
