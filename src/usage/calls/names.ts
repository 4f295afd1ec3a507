/** Texts by number, so that columns can hold them. Number 0 is the empty text: "none". */
export interface Names {
  readonly texts: readonly string[];
  numberOf(text: string): number;
}

export function openNames(known: readonly string[] = [""]): Names {
  const texts = [...known];
  const numbers = new Map(texts.map((text, index) => [text, index]));
  return {
    texts,
    numberOf(text) {
      const number = numbers.get(text);
      if (number !== undefined) return number;
      texts.push(text);
      numbers.set(text, texts.length - 1);
      return texts.length - 1;
    },
  };
}
