/** Bytes that stand in a transcript beside its records. */

/** A byte order mark, which some editors put before the first line. */
export function hasBom(bytes: Buffer, at: number = 0): boolean {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf;
}

/** Nothing but blanks from one place to another. */
export function isBlankLine(bytes: Buffer, from: number = 0, to: number = bytes.length): boolean {
  for (let at = from; at < to; at++) if (!isBlank(bytes[at])) return false;
  return true;
}

export function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}
