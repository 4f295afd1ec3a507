/** Remembers keys by 53 bits of their hash: years of transcripts fit, and two keys that meet are rarer than a disk error. */
export interface Seen {
  /** True the first time. */
  add(key: string): boolean;
}

export function seenKeys(): Seen {
  const seen = new Set<number>();
  return {
    add(key) {
      const hash = hashOf(key);
      if (seen.has(hash)) return false;
      seen.add(hash);
      return true;
    },
  };
}

/** Two independent 32-bit mixes, folded into one whole number that a double can hold. */
function hashOf(key: string): number {
  let one = 0xdeadbeef;
  let two = 0x41c6ce57;
  for (let i = 0; i < key.length; i++) {
    const code = key.charCodeAt(i);
    one = Math.imul(one ^ code, 0x9e3779b1);
    two = Math.imul(two ^ code, 0x5f356495);
  }
  one = Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(two ^ (two >>> 13), 0xc2b2ae35);
  two = Math.imul(two ^ (two >>> 16), 0x85ebca6b) ^ Math.imul(one ^ (one >>> 13), 0xc2b2ae35);
  return (two & 0x1fffff) * 2 ** 32 + (one >>> 0);
}
