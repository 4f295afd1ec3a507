import { fits, type Glob } from "../rules/glob.ts";

/**
 * The words of a text that could not be analysed, cut without any understanding of it (PE-26): quotes and backslashes
 * dropped, and once more cut there too. It finds too much rather than too little, at any length, in linear time.
 */
export interface WordNet {
  readonly cuts: readonly WordIndex[];
}

/** Each different word with the places it stands at, ascending. */
type WordIndex = ReadonlyMap<string, readonly number[]>;

const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

export function castNet(text: string): WordNet {
  const dropped = text.replace(/['"\\]/g, "").replace(invisible, "");
  return {
    cuts: [indexed(dropped, /[\s;&|()<>`]+/), indexed(text, /[\s;&|()<>`'"\\{},=$\u0000-\u001f\u007f-\u00a0]+/)],
  };
}

/** Whether the literal words of a rule occur in the text, in order. A rule without any always does. */
export function isCaught(net: WordNet, words: readonly Glob[]): boolean {
  return net.cuts.some((cut) => occurInOrder(cut, words));
}

/** The words in the order they stand, quotes and backslashes dropped. */
export function wordsOf(net: WordNet): readonly string[] {
  const found: string[] = [];
  for (const [word, places] of net.cuts[0] ?? []) for (const place of places) found[place] ??= word;
  return found;
}

/** Whether each name is a segment of some word: a trace of a path, wherever it stands. */
export function holdsNames(net: WordNet, names: readonly ((name: string) => boolean)[]): boolean {
  const segments = new Set(net.cuts.flatMap((cut) => [...cut.keys()].flatMap((word) => word.split("/"))));
  return names.every((fitting) => {
    for (const segment of segments) if (fitting(segment)) return true;
    return false;
  });
}

function indexed(text: string, separators: RegExp): WordIndex {
  const places = new Map<string, number[]>();
  let count = 0;
  for (const word of text.split(separators)) {
    if (word === "") continue;
    note(places, word, count);
    // `/bin/rm` is `rm`.
    const last = word.slice(word.lastIndexOf("/") + 1);
    if (last !== word && last !== "") note(places, last, count);
    count += 1;
  }
  return places;
}

function note(places: Map<string, number[]>, word: string, at: number): void {
  const known = places.get(word);
  if (known) known.push(at);
  else places.set(word, [at]);
}

function occurInOrder(cut: WordIndex, words: readonly Glob[]): boolean {
  let from = 0;
  for (const word of words) {
    const at = word.length === 1 ? firstFrom(cut.get(word[0]), from) : firstFitting(cut, word, from);
    if (at === undefined) return false;
    from = at + 1;
  }
  return true;
}

function firstFitting(cut: WordIndex, word: Glob, from: number): number | undefined {
  let first: number | undefined;
  for (const [text, places] of cut) {
    if (!fits(word, text)) continue;
    const at = firstFrom(places, from);
    if (at !== undefined && (first === undefined || at < first)) first = at;
  }
  return first;
}

/** The first of the ascending places that is not before `from`. */
function firstFrom(places: readonly number[] | undefined, from: number): number | undefined {
  if (places === undefined) return undefined;
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return places[low];
}
