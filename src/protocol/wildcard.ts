/**
 * Whether all of `text` matches a pattern in which `*` is any run of characters, the empty one included. The time is linear in the
 * text, whatever the pattern: patterns come from settings files and texts from agents.
 */
export function fitsWildcard(pattern: string, text: string): boolean {
  return fitsPieces(pattern.split("*"), text);
}

/** The same for a pattern that is already split at its stars: `["git ", " main"]` is `git * main`. */
export function fitsPieces(pieces: readonly string[], text: string): boolean {
  const first = pieces[0] ?? "";
  if (pieces.length <= 1) return text === first;
  const last = pieces.at(-1) ?? "";
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let from = first.length;
  const end = text.length - last.length;
  for (let index = 1; index < pieces.length - 1; index++) {
    const piece = pieces[index] ?? "";
    const at = find(piece, text, from, end);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return true;
}

const shortPiece = 24;

/** The first place of `piece` in `text` between `from` and `end`, or -1. */
function find(piece: string, text: string, from: number, end: number): number {
  if (piece.length === 0) return from;
  if (piece.length <= shortPiece) {
    const at = text.indexOf(piece, from);
    return at < 0 || at + piece.length > end ? -1 : at;
  }
  // indexOf may take length times length on repetitive text; this table never steps back.
  const table = borders(piece);
  let matched = 0;
  for (let index = from; index < end; index++) {
    while (matched > 0 && text[index] !== piece[matched]) matched = table[matched - 1] ?? 0;
    if (text[index] === piece[matched]) matched += 1;
    if (matched === piece.length) return index + 1 - piece.length;
  }
  return -1;
}

/** For each prefix the length of its longest proper prefix that is also its suffix. */
function borders(piece: string): Uint32Array {
  const table = new Uint32Array(piece.length);
  for (let index = 1, matched = 0; index < piece.length; index++) {
    while (matched > 0 && piece[index] !== piece[matched]) matched = table[matched - 1] ?? 0;
    if (piece[index] === piece[matched]) matched += 1;
    table[index] = matched;
  }
  return table;
}
