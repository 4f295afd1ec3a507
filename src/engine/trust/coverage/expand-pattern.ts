import { type Dirent, readdirSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { errorCode } from "../../../files/internal.ts";
import {
  anyChar,
  anyText,
  holdsPatternSign,
  LimitExceeded,
  patternSigns,
  printable,
  setStart,
  unknown,
} from "./word-values.ts";

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

function isActive(segment: string): boolean {
  return segment.includes(unknown) || holdsPatternSign(segment);
}

function matching(folder: string, segment: string): string[] {
  const hidden = segment.startsWith(".") || segment.startsWith(unknown);
  return entriesOf(folder)
    .filter(({ name }) => (hidden || !name.startsWith(".")) && matches(segment, name))
    .map(({ name }) => join(folder, name));
}

/** Backtracks to the last sign for any text only, so that every pattern takes linear time. */
function matches(segment: string, name: string): boolean {
  const pattern = segment
    // A set may match any character: one file more that must not change.
    .replace(/\uE003[\s\S][^\]]*\]/g, anyChar)
    .replaceAll(unknown, anyText)
    .replaceAll(setStart, "[");
  let [sign, at] = [0, 0];
  let back: { sign: number; at: number } | undefined;
  while (at < name.length) {
    if (pattern[sign] === anyText) back = { sign: ++sign, at };
    else if (pattern[sign] === anyChar || pattern[sign] === name[at]) {
      sign += 1;
      at += 1;
    } else if (back !== undefined) {
      back = { sign: back.sign, at: back.at + 1 };
      [sign, at] = [back.sign, back.at];
    } else return false;
  }
  return pattern.slice(sign).replaceAll(anyText, "") === "";
}

/** Whether a name matches a pattern that is an argument of a program. */
export function matchesText(pattern: string, name: string): boolean {
  return matches(
    pattern.replace(/[*?[]/g, (sign) => patternSigns[sign] ?? sign),
    name,
  );
}

/** The entries of a folder; empty when it cannot be read. */
export function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
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
