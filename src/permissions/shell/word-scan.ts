import { posix } from "node:path";
import { fitsPieces, groupBy } from "../../protocol/internal.ts";
import { foldName } from "../paths/resolve-path.ts";
import type { NameTest } from "../rules/path-pattern.ts";
import type { Glob } from "../rules/spec-patterns.ts";
import { addPosition, firstAtOrAfter } from "./prepare-text.ts";
import { type CommandPart, type ShellWord, staticValue } from "./shell-part.ts";

/**
 * What to find in a text that could not be analysed: words of rules and names of files. One pass finds all of them, so the time is
 * linear in the length of the text.
 */
export interface SearchTerms {
  readonly words: Iterable<Glob>;
  readonly names: Iterable<NameTest>;
}

/** The positions of the words in each of two ways to split the text, and the names that occur in it. */
export interface WordScan {
  readonly cuts: readonly ReadonlyMap<string, readonly number[]>[];
  readonly names: ReadonlySet<NameTest>;
}

/**
 * Splits the text at blanks and metacharacters without parsing it: once with quotes and backslashes removed, once split at them too.
 * It finds too much rather than too little.
 */
export function scanWords(text: string, terms: SearchTerms): WordScan {
  const words = [...terms.words];
  const literal = new Set(words.flatMap((word) => (word.length === 1 ? [word[0]] : [])));
  const patterns = words.filter((word) => word.length > 1);
  const names = nameFinder([...terms.names]);
  const recordWord = (word: string, count: number, places: Map<string, number[]>): void => {
    if (literal.has(word)) addPosition(places, word, count);
    for (const pattern of patterns) if (fitsPieces(pattern, word)) addPosition(places, keyOf(pattern), count);
  };
  const positionsIn = (words: readonly string[]): Map<string, number[]> => {
    const places = new Map<string, number[]>();
    for (const [index, word] of words.entries()) {
      recordWord(word, index, places);
      // `/bin/rm` is `rm`.
      const slash = word.lastIndexOf("/");
      if (slash >= 0) recordWord(word.slice(slash + 1), index, places);
      names.search(word);
    }
    return places;
  };
  const cuts = [plainWords(text), splitAt(moreSeparators, text)].map(positionsIn);
  return { cuts, names: names.found };
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
  return splitAt(separators, text.replace(removedCharacters, ""));
}

const removedCharacters =
  /['"\\\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/** Blanks of every kind and metacharacters. */
const separators = /[\u0000-\u0020;&|()<>`\u0080-\u00a0\u1680\u2000-\u202f\u205f\u3000]+/;
const moreSeparators = /[\u0000-\u0020;&|()<>`\u007f-\u00a0\u1680\u2000-\u202f\u205f\u3000'"\\{},=$]+/;

function splitAt(separator: RegExp, text: string): string[] {
  return text.split(separator).filter((word) => word !== "");
}

function nameFinder(tests: readonly NameTest[]): { search(word: string): void; readonly found: ReadonlySet<NameTest> } {
  const found = new Set<NameTest>();
  const folded = tests.some((test) => test.folded);
  const byLiteral = groupBy(tests, ({ literal }) => literal);
  const patterns = byLiteral.get(undefined) ?? [];
  const lookAt = (name: string): void => {
    for (const test of byLiteral.get(folded ? foldName(name) : name) ?? []) found.add(test);
    for (const test of patterns) if (!found.has(test) && test.fits(name)) found.add(test);
  };
  const search = (word: string): void => {
    if (found.size < tests.length) for (const name of word.split("/")) lookAt(name);
  };
  return { search, found };
}

function keyOf(word: Glob): string {
  return word.length === 1 ? word[0] : word.join("\0");
}

interface RemovalContext {
  readonly cwd: string;
  readonly home: string;
}

/** The operand that makes an `rm` or `rmdir` critical: it names the root, home, the working directory or a folder above it. */
export function criticalRemoval(part: CommandPart, context: RemovalContext): string | undefined {
  const [name, ...args] = part.words;
  const head = name && staticValue(name)?.split("/").at(-1);
  if (head !== "rm" && head !== "rmdir") return undefined;
  const risky = args.find((word) => word.behindVariable || namesTooMuch(word, part, context));
  return risky?.raw;
}

const maxCandidates = 2_000;

/** The same for a text that could not be analysed: examines every word after an `rm`. */
export function criticalWords(text: string, context: RemovalContext): string | undefined {
  const words = plainWords(text);
  const removal = words.findIndex((word) => /(^|\/)(rm|rmdir)$/.test(word));
  if (removal < 0) return undefined;
  const candidates = new Set(words.slice(removal + 1).filter((word) => /^[/~.*]/.test(word)));
  // Beyond the limit candidates are not examined, so the next one counts as critical.
  return [...candidates].find((word, index) => index >= maxCandidates || isCritical(word, context.cwd, context));
}

function namesTooMuch(word: ShellWord, part: CommandPart, context: RemovalContext): boolean {
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
function isCritical(path: string, folder: string, { cwd, home }: RemovalContext): boolean {
  if (path === "" || path.startsWith("-")) return false;
  const bare = path.replace(/\/?\.?\*$/, "") || (path.startsWith("/") ? "/" : ".");
  const whole = posix.resolve(folder, bare === "~" || bare.startsWith("~/") ? home + bare.slice(1) : bare);
  const contains = (inner: string) => whole === "/" || inner === whole || inner.startsWith(`${whole}/`);
  return whole.split("/").length <= 2 || [cwd, folder, home].some((inner) => contains(posix.resolve(inner)));
}
