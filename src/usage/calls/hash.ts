/**
 * Sixty-four bits that stand for an id, as two words: ids are only ever compared, and this many bits make two of them
 * meet by chance less often than a disk flips one.
 */
export interface Hash {
  a: number;
  b: number;
}

/** Writes the hash of `bytes[from..to)` into `into`. Never 0, 0: that says "no id". */
export function hashBytes(bytes: Uint8Array, from: number, to: number, into: Hash): void {
  let a = 0x811c9dc5 ^ (to - from);
  let b = 0x9747b28c | 0;
  for (let p = from; p < to; p++) {
    const byte = bytes[p] as number;
    a = Math.imul(a ^ byte, 0x01000193);
    b = (Math.imul(b, 0x5bd1e995) + byte) | 0;
  }
  a ^= a >>> 15;
  a = Math.imul(a, 0x2c1b3c6d);
  a ^= a >>> 12;
  b ^= b >>> 16;
  b = Math.imul(b ^ a, 0x297a2d39);
  b ^= b >>> 15;
  into.a = a >>> 0;
  into.b = (b | 1) >>> 0;
}

export function hashText(text: string, into: Hash): void {
  const bytes = Buffer.from(text);
  hashBytes(bytes, 0, bytes.length, into);
}
