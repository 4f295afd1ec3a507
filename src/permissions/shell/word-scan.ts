import { posix } from "node:path";
import { fitsPieces, groupBy } from "../../protocol/internal.ts";
import { foldName } from "../paths/resolve-path.ts";
import { literalName, matchesSegment, type Segment } from "../rules/path-segment.ts";
import type { Glob } from "../rules/spec-patterns.ts";
import type { ShellContext } from "./analyse.ts";
import { addPosition, firstAtOrAfter } from "./prepare-text.ts";
import { type CommandPart, programName, type ShellWord, staticValue } from "./shell-part.ts";

/**
 * What to find in a text that could not be analyzed: words of rules and names of files. One pass finds all of them, so the time is
 * linear in the length of the text.
 */
export interface SearchTerms {
  readonly words: readonly Glob[];
  readonly names: readonly Segment[];
  /** Whether names are compared with case and Unicode form folded. */
  readonly folded: boolean;
}

/** The positions of the words in each of two ways to split the text, and the names that occur in it. */
export interface WordScan {
  readonly cuts: readonly ReadonlyMap<string, readonly number[]>[];
  readonly names: ReadonlySet<Segment>;
}

/**
 * Splits the text at blanks and metacharacters without parsing it: once with quotes and backslashes removed, once split at them too.
 * It finds too much rather than too little.
 */
export function scanWords(text: string, { words, names, folded }: SearchTerms): WordScan {
  const literal = new Set(words.flatMap((word) => (word.length === 1 ? [word[0]] : [])));
  const patterns = words.filter((word) => word.length > 1);
  const finder = nameFinder(names, folded);
  const recordWord = (word: string, count: number, places: Map<string, number[]>): void => {
    if (literal.has(word)) addPosition(places, word, count);
    for (const pattern of patterns) if (fitsPieces(pattern, word)) addPosition(places, keyOf(pattern), count);
  };
  const positionsIn = (texts: readonly string[]): Map<string, number[]> => {
    const places = new Map<string, number[]>();
    texts.forEach((word, index) => {
      recordWord(word, index, places);
      // `/bin/rm` is `rm`.
      const slash = word.lastIndexOf("/");
      if (slash >= 0) recordWord(word.slice(slash + 1), index, places);
      finder.search(word);
    });
    return places;
  };
  const cuts = [plainWords(text), text.match(partOfWord) ?? []].map(positionsIn);
  return { cuts, names: finder.found };
}

/** Whether the words of a rule occur in the text in this order. True for a rule without words. */
export function occursInOrder(scan: WordScan, words: readonly Glob[]): boolean {
  return scan.cuts.some((places) => {
    let from = 0;
    return words.every((word) => {
      const at = firstAtOrAfter(places.get(keyOf(word)), from);
      from = (at ?? 0) + 1;
      return at !== undefined;
    });
  });
}

/** The words of a text without quotes, backslashes and invisible characters. */
export function plainWords(text: string): string[] {
  return text.replace(removedCharacters, "").match(wholeWord) ?? [];
}

const removedCharacters =
  /['"\\\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/** Between blanks of every kind and metacharacters. */
const wholeWord = /[^\u0000-\u0020;&|()<>`\u0080-\u00a0\u1680\u2000-\u202f\u205f\u3000]+/g;
const partOfWord = /[^\u0000-\u0020;&|()<>`\u007f-\u00a0\u1680\u2000-\u202f\u205f\u3000'"\\{},=$]+/g;

function nameFinder(wanted: readonly Segment[], folded: boolean) {
  const found = new Set<Segment>();
  const byLiteral = groupBy(wanted, (segment) => literalName(segment, folded));
  const patterns = byLiteral.get(undefined) ?? [];
  const seen = new Set<string>();
  const searchName = (part: string): void => {
    if (seen.has(part)) return;
    seen.add(part);
    const name = folded ? foldName(part) : part;
    for (const segment of byLiteral.get(name) ?? []) found.add(segment);
    for (const segment of patterns)
      if (!found.has(segment) && matchesSegment(segment, name, folded)) found.add(segment);
  };
  const search = (word: string): void => {
    if (found.size === wanted.length) return;
    if (word.includes("/")) word.split("/").forEach(searchName);
    else searchName(word);
  };
  return { search, found };
}

function keyOf(word: Glob): string {
  return word.length === 1 ? word[0] : word.join("\0");
}

/** The operand that makes an `rm` or `rmdir` critical: it names the root, home, the working directory or a folder above it. */
export function criticalRemoval(part: CommandPart, context: ShellContext): string | undefined {
  const head = programName(part);
  if (head !== "rm" && head !== "rmdir") return undefined;
  const risky = part.words.slice(1).find((word) => word.behindVariable || namesTooMuch(word, part, context));
  return risky?.raw;
}

const maxCandidates = 2_000;

/** The same for a text that could not be analyzed: examines every word after an `rm`. */
export function criticalWords(text: string, context: ShellContext): string | undefined {
  const words = plainWords(text);
  const removal = words.findIndex((word) => /(^|\/)(rm|rmdir)$/.test(word));
  if (removal < 0) return undefined;
  const candidates = new Set(words.slice(removal + 1).filter((word) => /^[/~.*]/.test(word)));
  // Beyond the limit candidates are not examined, so the next one counts as critical.
  return [...candidates].find((word, index) => index >= maxCandidates || isCritical(word, context.cwd, context));
}

function namesTooMuch(word: ShellWord, part: CommandPart, context: ShellContext): boolean {
  const folders = part.places.unknown ? [...part.places.folders, context.cwd] : part.places.folders;
  const [first, ...rest] = word.pieces;
  // `dir/*` empties dir, so dir itself is examined.
  const glob = rest.length === 1 && rest[0] === "" && /(^|\/)\.?\*$/.test(word.raw);
  const text = glob ? first.replace(/\.$/, "") || "." : staticValue(word);
  const texts = text === undefined ? (/^~(\/[^'"\\$`]*)?$/.test(word.raw) ? [word.raw] : []) : [text];
  if (text !== undefined && part.places.unknown && /^\.{1,2}(\/|$)/.test(posix.normalize(text))) return true;
  return texts.some((path) => folders.some((folder) => isCritical(path, folder, context)));
}

/** The root, a folder right below it, home, the working directory or a folder above it. */
function isCritical(path: string, folder: string, { cwd, home }: ShellContext): boolean {
  if (path === "" || path.startsWith("-")) return false;
  const bare = path.replace(/\/?\.?\*$/, "") || (path.startsWith("/") ? "/" : ".");
  const whole = posix.resolve(folder, bare === "~" || bare.startsWith("~/") ? home + bare.slice(1) : bare);
  const contains = (inner: string) => whole === "/" || inner === whole || inner.startsWith(`${whole}/`);
  return whole.split("/").length <= 2 || [cwd, folder, home].some((inner) => contains(posix.resolve(inner)));
}
