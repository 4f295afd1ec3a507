import { fitsPieces } from "../../protocol/internal.ts";

/**
 * Text with gaps: `["git ", " main"]` is `git `, any run of characters, ` main`. One piece means no gap.
 * In patterns a gap is a `*`; in command texts it is a word with an unknown value.
 */
export type Glob = readonly [string, ...string[]];

/** Whether some text matches both. If both have gaps, only their ends can conflict: each middle part fits into a gap of the other. */
export function globsOverlap(a: Glob, b: Glob): boolean {
  if (a.length === 1) return fitsPieces(b, a[0]);
  if (b.length === 1) return fitsPieces(a, b[0]);
  const [endA, endB] = [a.at(-1) ?? "", b.at(-1) ?? ""];
  return (a[0].startsWith(b[0]) || b[0].startsWith(a[0])) && (endA.endsWith(endB) || endB.endsWith(endA));
}

/** A spec split at its stars, without escapes: `git \** x` gives `["git *", " x"]`. */
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

/** Escapes a text so that `readSpec` returns it as one literal piece. */
export function escapeSpec(text: string): string {
  return text.replace(/[*()\\]/g, "\\$&");
}
