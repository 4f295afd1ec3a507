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

/** The number of plain ASCII bytes, with a memory of the last few: lines repeat them, and decoding costs more than comparing. */
export function nameCache(names: Names): (bytes: Buffer, from: number, to: number) => number {
  const places = 16;
  const known: Uint8Array[] = Array.from({ length: places }, () => new Uint8Array(0));
  const numbers = new Int32Array(places);
  return (bytes, from, to) => {
    const length = to - from;
    if (length === 0) return 0;
    const place = (length + (bytes[to - 1] as number) + (bytes[from + (length >> 1)] as number) * 3) % places;
    if (isSame(known[place] as Uint8Array, bytes, from, length)) return numbers[place] as number;
    known[place] = new Uint8Array(bytes.subarray(from, to));
    numbers[place] = names.numberOf(bytes.toString("latin1", from, to));
    return numbers[place] as number;
  };
}

function isSame(last: Uint8Array, bytes: Uint8Array, from: number, length: number): boolean {
  if (last.length !== length) return false;
  for (let index = 0; index < length; index++) if (last[index] !== bytes[from + index]) return false;
  return true;
}
