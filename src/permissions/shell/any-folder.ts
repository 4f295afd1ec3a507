import { type ShellPart, type ShellWord, staticValue } from "./shell-part.ts";
import { isPattern, someWord } from "./word-pieces.ts";

/**
 * The parts, those behind a `cd` whose folder the text does not tell marked: they may run in any folder at all. What is only uncertain,
 * such as a `cd` that may not run, is not marked.
 */
export function withAnyFolder(parts: readonly ShellPart[]): readonly ShellPart[] {
  if (!parts.some(leadsAnywhere)) return parts;
  return parts.map((part) => (part.places.unknown ? { ...part, places: { ...part.places, anyFolder: true } } : part));
}

function leadsAnywhere(part: ShellPart): boolean {
  if (part.kind !== "command") return false;
  const [head, ...args] = part.words;
  return /^(?:cd|pushd)$/.test((head && staticValue(head)) ?? "") && args.some(isOpen);
}

function isOpen(word: ShellWord): boolean {
  if (staticValue(word) !== undefined || word.tilde !== undefined) return false;
  return !word.expansions || word.expansions.some((text) => isPattern(text) || text.includes(someWord));
}
