import { type ShellWord, staticValue } from "../shell-part.ts";
import { escapePattern } from "../word-pieces.ts";

/** What a command starts in turn. */
export type Inner =
  | {
      readonly kind: "command";
      readonly words: readonly ShellWord[];
      readonly openEnded: boolean;
      readonly sets: readonly ShellWord[];
      /** It runs in folders that are not known beforehand. */
      readonly elsewhere?: boolean;
      /** Some of its words come from standard input. */
      readonly fed?: boolean;
      /** A rule that covers the program around it covers it too. */
      readonly carried?: boolean;
    }
  | {
      readonly kind: "script";
      readonly text: string;
      readonly dialect: Dialect;
      /** The word that holds it; absent when it is read from standard input. */
      readonly from?: ShellWord;
      readonly openEnded: boolean;
    }
  /** A file that an option makes the program write or read. */
  | { readonly kind: "file"; readonly access: "read" | "write"; readonly option: string; readonly word: ShellWord }
  /** It starts something that cannot be seen. */
  | { readonly kind: "opaque"; readonly why: string };

export type Dialect = "bash" | "sh" | "other";

/** Words joined by blanks as a script, where all of it is known. */
export function scriptOf(words: readonly ShellWord[], dialect: Dialect, openEnded: boolean): Inner {
  const texts = words.map(staticValue);
  const from = words[0];
  if (from === undefined || texts.some((text) => text === undefined)) {
    return { kind: "opaque", why: "the script is not known before it runs" };
  }
  return { kind: "script", text: texts.join(" "), dialect, from, openEnded };
}

/** The word with each occurrence of `text` made a gap. `names` are patterns for what comes in its place. */
export function withoutText(word: ShellWord, text: string, names: readonly string[]): ShellWord {
  if (text === "" || !word.pieces.some((piece) => piece.includes(text))) return word;
  const [first = "", ...rest] = word.pieces.flatMap((piece) => piece.split(text));
  const expansions = names.map((name) => [first, ...rest].map(escapePattern).join(name));
  return { ...word, pieces: [first, ...rest], expansions };
}

export const emptyWord: ShellWord = {
  pieces: [""],
  raw: "",
  at: [0, 0],
  splits: false,
  behindVariable: false,
  readings: [],
};
