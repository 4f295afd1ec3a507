import { fitsPieces } from "../../protocol/internal.ts";

/**
 * Text with gaps: `["git ", " main"]` is `git `, any run of characters, ` main`. One piece means no gap.
 * Patterns use it for `*`, command texts for words whose value is not known.
 */
export type Glob = readonly [string, ...string[]];

/** Whether some text fits both. With a gap on either side only the two ends can disagree: the middles go into the other's gap. */
export function overlap(a: Glob, b: Glob): boolean {
  if (a.length === 1) return fitsPieces(b, a[0]);
  if (b.length === 1) return fitsPieces(a, b[0]);
  const [endA, endB] = [a.at(-1) ?? "", b.at(-1) ?? ""];
  return (a[0].startsWith(b[0]) || b[0].startsWith(a[0])) && (endA.endsWith(endB) || endB.endsWith(endA));
}

/** A spec cut at its stars, escapes removed: `git \** x` gives `["git *", " x"]`. */
export function readSpec(spec: string): Glob {
  const pieces: [string, ...string[]] = [""];
  for (let index = 0; index < spec.length; index++) {
    const char = spec[index] ?? "";
    if (char === "*") {
      pieces.push("");
      continue;
    }
    const next = spec[index + 1];
    const escaped = char === "\\" && next !== undefined && "*()\\".includes(next);
    pieces[pieces.length - 1] += escaped ? next : char;
    if (escaped) index += 1;
  }
  return pieces;
}

/** Text so written that `readSpec` gives it back without a star. */
export function escapeSpec(text: string): string {
  return text.replace(/[*()\\]/g, "\\$&");
}
