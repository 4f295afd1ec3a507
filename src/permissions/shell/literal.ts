import type { Glob } from "../rules/spec-glob.ts";

/** A run of plain text as bash would read it: what is known of its value, and whether a sign stands in it that should not. */
export interface Literal {
  readonly pieces: Glob;
  readonly clean: boolean;
  /** The unescaped characters, escaped ones replaced, for checks that need the whole word. */
  readonly bare: string;
}

const masked = "\u0001";
const signs = new Set("$`()<>;&|'\"");

/** Unquoted text: a backslash takes the next character as it is; `*` and `?` are gaps. */
export function readUnquoted(text: string): Literal {
  const pieces: [string, ...string[]] = [""];
  let [clean, bare] = [true, ""];
  for (let index = 0; index < text.length; index++) {
    let char = text[index] ?? "";
    if (char === "\\") {
      index += 1;
      char = text[index] ?? "";
      if (char === "" || char === "\n") clean = false;
      pieces[pieces.length - 1] += char;
      bare += masked;
      continue;
    }
    if (signs.has(char)) clean = false;
    bare += char;
    if (char === "*" || char === "?") pieces.push("");
    else pieces[pieces.length - 1] += char;
  }
  return { pieces, clean, bare };
}

/** Text in double quotes, or with `inHeredoc` in an expanding here-document, where a double quote means itself. */
export function readQuoted(text: string, inHeredoc: boolean): Literal {
  let [value, clean] = ["", true];
  for (let index = 0; index < text.length; index++) {
    const char = text[index] ?? "";
    const next = text[index + 1] ?? "";
    if (char === "\\" && next !== "" && (inHeredoc ? "$`\\\n" : '$`"\\\n').includes(next)) {
      if (next === "\n") clean = false;
      value += next;
      index += 1;
      continue;
    }
    if (char === "`" || (char === '"' && !inHeredoc)) clean = false;
    if (char === "$" && /[({[A-Za-z0-9_@*#?$!-]/.test(next)) clean = false;
    value += char;
  }
  return { pieces: [value], clean, bare: masked.repeat(value.length) };
}

export function maskOf(length: number): string {
  return masked.repeat(Math.max(1, length));
}

/** `{a,b}` or `{1..3}` in the unescaped text of a word: bash would make several words of it. */
export function hasBraces(bare: string): boolean {
  const open = bare.indexOf("{");
  const close = bare.lastIndexOf("}");
  if (open < 0 || close < open) return false;
  const inside = bare.slice(open, close);
  return inside.includes(",") || inside.includes("..");
}

/** `[` with a `]` somewhere behind it: a set of characters, unless nothing fits. */
export function hasBrackets(bare: string): boolean {
  const open = bare.indexOf("[");
  return open >= 0 && bare.indexOf("]", open + 1) > open;
}
