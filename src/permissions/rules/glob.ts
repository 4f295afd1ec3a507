/**
 * Text with gaps: `["git ", " main"]` is `git `, any run of characters, ` main`. One piece means no gap.
 * Patterns use it for `*`, command texts for words whose value is not known.
 */
export type Glob = readonly [string, ...string[]];

/** Whether the whole text fits, each gap taking any run of characters. Linear in the text, whatever the pattern. */
export function fits(glob: Glob, text: string): boolean {
  const first = glob[0];
  if (glob.length === 1) return text === first;
  const last = glob[glob.length - 1] ?? "";
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let from = first.length;
  const end = text.length - last.length;
  for (let index = 1; index < glob.length - 1; index++) {
    const piece = glob[index] ?? "";
    const at = find(piece, text, from, end);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return true;
}

/** Whether some text fits both. With a gap on either side only the two ends can disagree: the middles go into the other's gap. */
export function overlap(a: Glob, b: Glob): boolean {
  if (a.length === 1) return fits(b, a[0]);
  if (b.length === 1) return fits(a, b[0]);
  const [endA, endB] = [a.at(-1) ?? "", b.at(-1) ?? ""];
  return (a[0].startsWith(b[0]) || b[0].startsWith(a[0])) && (endA.endsWith(endB) || endB.endsWith(endA));
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
function borders(piece: string): Uint16Array {
  const table = new Uint16Array(piece.length);
  for (let index = 1, matched = 0; index < piece.length; index++) {
    while (matched > 0 && piece[index] !== piece[matched]) matched = table[matched - 1] ?? 0;
    if (piece[index] === piece[matched]) matched += 1;
    table[index] = matched;
  }
  return table;
}
