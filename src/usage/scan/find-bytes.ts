/**
 * A search for fixed bytes in a short stretch of a large buffer. (The buffer's own `indexOf` knows no end, and cutting the
 * stretch out first costs more than the search.)
 */
export function finder(text: string): (bytes: Uint8Array, from: number, to: number) => boolean {
  const needle: Uint8Array = Buffer.from(text);
  const last = needle.length - 1;
  // How far the needle can be moved when its last place holds a byte: Horspool's table.
  const steps = new Uint8Array(256).fill(needle.length);
  for (let index = 0; index < last; index++) steps[needle[index] as number] = last - index;
  const lastByte = needle[last];
  return (bytes, from, to) => {
    for (let p = from + last; p < to; ) {
      const byte = bytes[p] as number;
      if (byte === lastByte && isAt(needle, bytes, p - last)) return true;
      p += steps[byte] as number;
    }
    return false;
  };
}

function isAt(needle: Uint8Array, bytes: Uint8Array, at: number): boolean {
  for (let index = 0; index < needle.length; index++) if (needle[index] !== bytes[at + index]) return false;
  return true;
}
