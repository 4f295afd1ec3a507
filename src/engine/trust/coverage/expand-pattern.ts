import { type Dirent, readdirSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { anyChar, anyText, LimitExceeded, printable, setStart, unknown } from "./word-values.ts";

const maxMatches = 2_000;

/** What a pattern matches on disk from a folder, as a shell without options expands it. An unknown part matches any text. */
export function expandPattern(pattern: string, folder: string): readonly string[] {
  const segments = pattern.split("/").filter((segment) => segment !== "" && segment !== ".");
  let found = [isAbsolute(pattern) ? "/" : resolve(folder)];
  for (const segment of segments) {
    found = isActive(segment)
      ? found.flatMap((place) => matching(place, segment))
      : found.map((place) => join(place, segment));
    if (found.length > maxMatches)
      throw new LimitExceeded(`${printable(pattern)} matches more than ${maxMatches} files`);
  }
  return found;
}

const signs = new RegExp(`[${unknown}${anyText}${anyChar}${setStart}]`);

function isActive(segment: string): boolean {
  return signs.test(segment);
}

function matching(folder: string, segment: string): string[] {
  const tokens = tokensOf(segment);
  const hidden = segment.startsWith(".") || segment.startsWith(unknown);
  return entriesOf(folder)
    .filter(({ name }) => (hidden || !name.startsWith(".")) && matches(tokens, name))
    .map(({ name }) => join(folder, name));
}

/** `many`: any text; `one`: any character; else the character itself. */
type Token = { readonly is: "many" } | { readonly is: "one" } | { readonly is: "char"; readonly char: string };

function tokensOf(segment: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < segment.length; at++) {
    const char = segment[at] ?? "";
    const setEnd = char === setStart ? segment.indexOf("]", at + 2) : -1;
    if (char === anyText || char === unknown) tokens.push({ is: "many" });
    else if (char === anyChar) tokens.push({ is: "one" });
    // A set may match any character: one file more that must not change.
    else if (setEnd > 0) {
      tokens.push({ is: "one" });
      at = setEnd;
    } else tokens.push({ is: "char", char: char === setStart ? "[" : char });
  }
  return tokens;
}

/** Backtracks to the last `many` only, so that every pattern takes linear time. */
function matches(tokens: readonly Token[], name: string): boolean {
  let [token, at] = [0, 0];
  let back: { token: number; at: number } | undefined;
  while (at < name.length) {
    const now = tokens[token];
    if (now?.is === "many") back = { token: ++token, at };
    else if (now?.is === "one" || (now?.is === "char" && now.char === name[at])) {
      token += 1;
      at += 1;
    } else if (back !== undefined) {
      back = { token: back.token, at: back.at + 1 };
      [token, at] = [back.token, back.at];
    } else return false;
  }
  while (tokens[token]?.is === "many") token += 1;
  return token === tokens.length;
}

/** Whether a name matches a pattern that is an argument of a program. */
export function matchesText(pattern: string, name: string): boolean {
  const signs: Readonly<Record<string, string>> = { "*": anyText, "?": anyChar, "[": setStart };
  return matches(tokensOf(pattern.replace(/[*?[]/g, (sign) => signs[sign] ?? sign)), name);
}

/** The entries of a folder; empty when it cannot be read. */
export function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return [];
  }
}

/** Every file below a folder, including links, without version control and installed packages. */
export function filesBelow(folder: string): readonly string[] {
  const found: string[] = [];
  const folders = [folder];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const entry of entriesOf(at)) {
      if (entry.isDirectory()) {
        if (entry.name !== ".git" && entry.name !== "node_modules") folders.push(join(at, entry.name));
      } else found.push(join(at, entry.name));
    }
    if (found.length > maxMatches) throw new LimitExceeded(`${folder} holds more than ${maxMatches} files`);
  }
  return found.sort();
}
