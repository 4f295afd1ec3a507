import type { Glob } from "./spec-glob.ts";

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
