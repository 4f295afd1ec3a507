/** A seeded source of chance: the same seed gives the same numbers on every machine. */
export function seeded(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (count) => Math.floor((next() / 0x1_0000_0000) * count);
  const hex = (digits) => {
    let text = "";
    while (text.length < digits) text += next().toString(16).padStart(8, "0");
    return text.slice(0, digits);
  };
  return {
    below,
    between: (low, high) => low + below(high - low + 1),
    chance: (share) => next() < share * 0x1_0000_0000,
    pick: (list) => list[below(list.length)],
    hex,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
    /** Ids as the vendor writes them: a prefix and base-62 letters. */
    id(prefix, letters = 20) {
      let text = prefix;
      for (let left = letters; left > 0; left -= 5) text += base62(next());
      return text;
    },
  };
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

function base62(value) {
  let text = "";
  for (let left = value, count = 0; count < 5; count++, left = Math.floor(left / 62)) text += alphabet[left % 62];
  return text;
}
