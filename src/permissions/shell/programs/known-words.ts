import { type ShellWord, staticValue } from "../shell-part.ts";
import { isPattern, someWord, unescapePattern } from "../word-pieces.ts";

const mostSingle = 8;
const mostWords = 2_000;

/**
 * The words with every variable whose value the script says put in, as far as that makes known text. A word that may be one of several,
 * or becomes several, gives one line with all of them in a row and one with each alone. Undefined when that is too much to look at.
 */
export function knownLines(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] | undefined {
  const values = words.map(valuesOf);
  const most = values.reduce((found, known) => Math.max(found, known?.length ?? 0), 0);
  if (most === 0) return [words];
  if (values.reduce((sum, known) => sum + (known?.length ?? 1), 0) > mostWords) return undefined;
  const row = words.flatMap((word, at) => values[at]?.map((text) => known(word, text)) ?? [word]);
  if (most === 1) return [row];
  const single = Array.from({ length: Math.min(most, mostSingle) }, (_, choice) =>
    words.map((word, at) => {
      const texts = values[at];
      return texts ? known(word, texts[Math.min(choice, texts.length - 1)] ?? "") : word;
    }),
  );
  return [row, ...single];
}

/** What a word with variables in it may be, where all of that is plain text. */
function valuesOf(word: ShellWord): readonly string[] | undefined {
  const { expansions = [] } = word;
  if (staticValue(word) !== undefined || expansions.length === 0) return undefined;
  if (expansions.some((text) => isPattern(text) || text.includes(someWord))) return undefined;
  return expansions.map(unescapePattern);
}

function known(word: ShellWord, text: string): ShellWord {
  const { expansions: _, ...rest } = word;
  return { ...rest, pieces: [text], splits: false };
}
