/**
 * Walks over JSON without building values. Every function takes the position of a value and returns the position behind it, or 0
 * where JSON.parse would refuse the text. A line ends with a newline, which no value may hold, so nothing runs past it.
 */

export const quote: u8 = 0x22;
export const comma: u8 = 0x2c;
export const colon: u8 = 0x3a;
export const listStart: u8 = 0x5b;
export const listEnd: u8 = 0x5d;
export const objectStart: u8 = 0x7b;
export const objectEnd: u8 = 0x7d;
const backslash: u8 = 0x5c;
export const zero: u8 = 0x30;

/** A value that is nested more deeply is refused here, and left to JSON.parse. */
const mostLevels = 200;

/** Words as they are in memory: the four bytes of `true` and `null`, and `alse`. */
const wordTrue: u32 = 0x65757274;
const wordNull: u32 = 0x6c6c756e;
const wordFalseRest: u32 = 0x65736c61;

export function byteAt(p: usize): u8 {
  return load<u8>(p);
}

export function skipBlanks(p: usize): usize {
  // Nearly always there is none.
  while (byteAt(p) <= 0x20 && isBlank(byteAt(p))) p++;
  return p;
}

function isBlank(byte: u8): bool {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

/** One bit for each of the sixteen bytes that ends a plain stretch of a string: a quote, a backslash or a control character. */
function specials(bytes: v128): i32 {
  return i8x16.bitmask(
    v128.or(
      v128.or(i8x16.eq(bytes, i8x16.splat(quote)), i8x16.eq(bytes, i8x16.splat(backslash))),
      i8x16.lt_u(bytes, i8x16.splat(0x20)),
    ),
  );
}

/** `p` is behind the opening quote. */
export function skipString(p: usize): usize {
  while (true) {
    const found = specials(v128.load(p));
    if (found === 0) {
      p += 16;
      continue;
    }
    p += ctz(found);
    const byte = byteAt(p);
    if (byte === quote) return p + 1;
    if (byte !== backslash) return 0;
    p = skipEscape(p + 1);
    if (p === 0) return 0;
  }
}

/** `p` is behind the backslash. */
function skipEscape(p: usize): usize {
  const byte = byteAt(p);
  // Line breaks and quotes first: nearly all escapes are one of them.
  if (byte === 0x6e || byte === quote || byte === backslash || byte === 0x74) return p + 1;
  if (byte === 0x75) return isHex(p + 1) && isHex(p + 2) && isHex(p + 3) && isHex(p + 4) ? p + 5 : 0;
  return byte === 0x72 || byte === 0x2f || byte === 0x62 || byte === 0x66 ? p + 1 : 0;
}

function isHex(p: usize): bool {
  return isDigit(p) || <u32>((byteAt(p) | 0x20) - 0x61) < 6;
}

export function isDigit(p: usize): bool {
  return <u32>(byteAt(p) - zero) < 10;
}

export function isLetter(p: usize): bool {
  return <u32>((byteAt(p) | 0x20) - 0x61) < 26;
}

/** The closing quote of the string that begins at `p`, if all before it is ASCII without escapes; else 0. */
export function endOfPlain(p: usize): usize {
  while (true) {
    const bytes = v128.load(p);
    const found = specials(bytes) | i8x16.bitmask(bytes);
    if (found === 0) {
      p += 16;
      continue;
    }
    p += ctz(found);
    return byteAt(p) === quote ? p : 0;
  }
}

export function skipValue(p: usize, level: i32 = 0): usize {
  switch (byteAt(p)) {
    case quote:
      return skipString(p + 1);
    case objectStart:
      return level < mostLevels ? skipObject(skipBlanks(p + 1), level + 1) : 0;
    case listStart:
      return level < mostLevels ? skipList(skipBlanks(p + 1), level + 1) : 0;
    case 0x74:
      return isTrue(p) ? p + 4 : 0;
    case 0x6e:
      return isNull(p) ? p + 4 : 0;
    case 0x66:
      return load<u32>(p + 1) === wordFalseRest ? p + 5 : 0;
    default:
      return skipNumber(p);
  }
}

export function isTrue(p: usize): bool {
  return load<u32>(p) === wordTrue;
}

export function isNull(p: usize): bool {
  return load<u32>(p) === wordNull;
}

/** `p` is at the first key. */
function skipObject(p: usize, level: i32): usize {
  if (byteAt(p) === objectEnd) return p + 1;
  while (true) {
    if (byteAt(p) !== quote) return 0;
    p = skipString(p + 1);
    if (p === 0) return 0;
    p = skipBlanks(p);
    if (byteAt(p) !== colon) return 0;
    p = skipValue(skipBlanks(p + 1), level);
    if (p === 0) return 0;
    p = skipBlanks(p);
    if (byteAt(p) === objectEnd) return p + 1;
    if (byteAt(p) !== comma) return 0;
    p = skipBlanks(p + 1);
  }
}

/** `p` is at the first element. */
function skipList(p: usize, level: i32): usize {
  if (byteAt(p) === listEnd) return p + 1;
  while (true) {
    p = skipValue(p, level);
    if (p === 0) return 0;
    p = skipBlanks(p);
    if (byteAt(p) === listEnd) return p + 1;
    if (byteAt(p) !== comma) return 0;
    p = skipBlanks(p + 1);
  }
}

function skipNumber(p: usize): usize {
  if (byteAt(p) === 0x2d) p++;
  // No digit may follow a zero at the front.
  p = byteAt(p) === zero ? p + 1 : skipDigits(p);
  if (p === 0) return 0;
  if (byteAt(p) === 0x2e) {
    p = skipDigits(p + 1);
    if (p === 0) return 0;
  }
  if ((byteAt(p) | 0x20) !== 0x65) return p;
  p++;
  if (byteAt(p) === 0x2b || byteAt(p) === 0x2d) p++;
  return skipDigits(p);
}

/** At least one digit. */
function skipDigits(p: usize): usize {
  if (!isDigit(p)) return 0;
  while (isDigit(p)) p++;
  return p;
}
