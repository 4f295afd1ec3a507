import { emptyWord, type ShellWord, staticValue } from "../shell-part.ts";
import { escapePattern, isOpenPattern, unescapePattern } from "../word-pieces.ts";

/** Something that a command starts or opens. */
export type Inner =
  | {
      readonly kind: "command";
      readonly words: readonly ShellWord[];
      /** More words follow at run time. */
      readonly openEnded?: boolean;
      /** Assignments to variables of its environment. */
      readonly sets?: readonly ShellWord[];
      /** It runs in unknown folders. */
      readonly elsewhere?: boolean;
      /** Some of its words come from standard input. */
      readonly fed?: boolean;
      /** A rule that covers the wrapper also covers it. */
      readonly carried?: boolean;
    }
  | {
      readonly kind: "script";
      readonly text: string;
      readonly dialect: Dialect;
      /** The word that contains it. Absent if it is read from standard input. */
      readonly from?: ShellWord;
      readonly openEnded?: boolean;
    }
  /** A file that an option makes the program write or read. */
  | { readonly kind: "file"; readonly access: "read" | "write"; readonly option: string; readonly word: ShellWord }
  /** It starts something unknown. */
  | { readonly kind: "opaque"; readonly why: string };

/** A text on the standard input of a command. `isKnown`: it has no expansions. */
export interface InputText {
  readonly text: string;
  readonly isKnown: boolean;
}

export type Dialect = "bash" | "sh" | "other";

/** The words, joined by blanks, as a script. Opaque if one of them is unknown. */
export function scriptOf(words: readonly ShellWord[], dialect: Dialect, openEnded = false): Inner {
  const texts = words.map(staticValue);
  const from = words[0];
  if (from === undefined || texts.some((text) => text === undefined)) {
    return opaque("the script is not known before it runs");
  }
  return { kind: "script", text: texts.join(" "), dialect, from, openEnded };
}

/** A word that is not in the source. */
export function wordOf(text: string): ShellWord {
  return { ...emptyWord, pieces: [text], raw: text };
}

export function opaque(why: string): Inner {
  return { kind: "opaque", why };
}

/** The word with a gap in place of each `text`. `names` are patterns of what may replace it. */
export function withoutText(word: ShellWord, text: string, names: readonly string[]): ShellWord {
  if (text === "" || !word.pieces.some((piece) => piece.includes(text))) return word;
  const [first = "", ...rest] = word.pieces.flatMap((piece) => piece.split(text));
  const expansions = names.map((name) => [first, ...rest].map(escapePattern).join(name));
  return { ...word, pieces: [first, ...rest], expansions, isFound: true };
}

const maxSingle = 8;
const maxWords = 2_000;

/**
 * The words with known variables replaced by their values. A word with several values, or that becomes several words, gives one line with
 * all of them in a row and one line for each. Undefined if there are too many.
 */
export function knownLines(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] | undefined {
  const values = words.map(valuesOf);
  const most = values.reduce((found, known) => Math.max(found, known?.length ?? 0), 0);
  if (most === 0) return [words];
  if (values.reduce((sum, known) => sum + (known?.length ?? 1), 0) > maxWords) return undefined;
  const row = words.flatMap((word, at) => values[at]?.map((text) => known(word, text)) ?? [word]);
  if (most === 1) return [row];
  const single = Array.from({ length: Math.min(most, maxSingle) }, (_, choice) =>
    words.map((word, at) => {
      const texts = values[at];
      return texts ? known(word, texts[Math.min(choice, texts.length - 1)] ?? "") : word;
    }),
  );
  return [row, ...single];
}

/** The possible values of a word with variables, if all of them are plain text. */
function valuesOf(word: ShellWord): readonly string[] | undefined {
  const { expansions = [], isFound } = word;
  if (isFound || staticValue(word) !== undefined || expansions.length === 0) return undefined;
  if (expansions.some(isOpenPattern)) return undefined;
  return expansions.map(unescapePattern);
}

function known(word: ShellWord, text: string): ShellWord {
  const { expansions: _, ...rest } = word;
  return { ...rest, pieces: [text], splits: false };
}
