import { posix } from "node:path";
import { fitsPieces } from "../../protocol/internal.ts";
import { foldName } from "../paths/resolve-path.ts";
import type { Glob } from "../rules/spec-glob.ts";
import { firstFrom } from "./prepare-text.ts";
import { type CommandPart, type ShellWord, staticValue } from "./shell-part.ts";

/**
 * What is to be found in a text that could not be analysed: the words of rules, and names of files. Each is looked for
 * in one pass, so that the time is linear in the text whatever it holds.
 */
export interface Wanted {
  readonly words: Iterable<Glob>;
  readonly names: Iterable<NameTest>;
}

export interface NameTest {
  /** The name itself where it is no pattern. */
  readonly literal?: string;
  /** Whether the name is compared with case and Unicode form folded. */
  readonly folded: boolean;
  fits(name: string): boolean;
}

/** Where wanted words stand, in each of two cuts of the text, and which wanted names occur in it. */
export interface WordScan {
  readonly cuts: readonly ReadonlyMap<string, readonly number[]>[];
  readonly names: ReadonlySet<NameTest>;
}

/**
 * Cuts the text at blanks and metacharacters without any understanding of it, once with quotes and backslashes dropped,
 * once cut there too. It finds too much rather than too little.
 */
export function scanWords(text: string, wanted: Wanted): WordScan {
  const words = [...wanted.words];
  const literal = new Set(words.flatMap((word) => (word.length === 1 ? [word[0]] : [])));
  const patterns = words.filter((word) => word.length > 1);
  const names = nameFinder([...wanted.names]);
  const noteWord = (word: string, count: number, places: Map<string, number[]>): void => {
    if (literal.has(word)) note(places, word, count);
    for (const pattern of patterns) if (fitsPieces(pattern, word)) note(places, keyOf(pattern), count);
  };
  const cut = (from: string, separators: Uint8Array): Map<string, number[]> => {
    const places = new Map<string, number[]>();
    let count = 0;
    eachWord(from, separators, (word) => {
      noteWord(word, count, places);
      // `/bin/rm` is `rm`.
      const slash = word.lastIndexOf("/");
      if (slash >= 0) noteWord(word.slice(slash + 1), count, places);
      names.look(word);
      count += 1;
    });
    return places;
  };
  return { cuts: [cut(text.replace(dropped, ""), separators), cut(text, moreSeparators)], names: names.found };
}

/** Whether the literal words of a rule occur in the text, in order. A rule without any always does. */
export function occursInOrder(net: WordScan, words: readonly Glob[]): boolean {
  return net.cuts.some((places) => {
    let from = 0;
    return words.every((word) => {
      const at = firstFrom(places.get(keyOf(word)), from);
      from = (at ?? 0) + 1;
      return at !== undefined;
    });
  });
}

/** Calls back with each word of a text, quotes, backslashes and invisible characters dropped. */
export function forEachPlainWord(text: string, use: (word: string) => void): void {
  eachWord(text.replace(dropped, ""), separators, use);
}

const dropped = /['"\\\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

function nameFinder(tests: readonly NameTest[]): { look(word: string): void; readonly found: ReadonlySet<NameTest> } {
  const found = new Set<NameTest>();
  const folded = tests.some((test) => test.folded);
  const literal = new Map<string, NameTest[]>();
  for (const test of tests) {
    if (test.literal !== undefined) literal.set(test.literal, [...(literal.get(test.literal) ?? []), test]);
  }
  const patterns = tests.filter((test) => test.literal === undefined);
  const lookAt = (name: string): void => {
    for (const test of literal.get(folded ? foldName(name) : name) ?? []) found.add(test);
    for (const test of patterns) if (!found.has(test) && test.fits(name)) found.add(test);
  };
  const look = (word: string): void => {
    if (found.size === tests.length) return;
    if (word.includes("/")) for (const name of word.split("/")) lookAt(name);
    else lookAt(word);
  };
  return { look, found };
}

function eachWord(text: string, separators: Uint8Array, use: (word: string) => void): void {
  let start = -1;
  for (let index = 0; index < text.length; index++) {
    if (separators[text.charCodeAt(index)] === 0) {
      if (start < 0) start = index;
    } else if (start >= 0) {
      use(text.slice(start, index));
      start = -1;
    }
  }
  if (start >= 0) use(text.slice(start));
}

/** Blanks of every kind and metacharacters, by character code. */
const separators = codesWhere((code) =>
  code < 0x80 ? code <= 0x20 || ";&|()<>`".includes(String.fromCharCode(code)) : isOddBlank(code),
);
const moreSeparators = codesWhere(
  (code) => separators[code] === 1 || code === 0x7f || "'\"\\{},=$".includes(String.fromCharCode(code)),
);

function isOddBlank(code: number): boolean {
  return code <= 0xa0 || code === 0x1680 || (code >= 0x2000 && code <= 0x202f) || code === 0x205f || code === 0x3000;
}

function codesWhere(holds: (code: number) => boolean): Uint8Array {
  const codes = new Uint8Array(0x10000);
  for (let code = 0; code < 0x3001; code++) if (holds(code)) codes[code] = 1;
  return codes;
}

function note(places: Map<string, number[]>, word: string, at: number): void {
  const known = places.get(word);
  if (known) known.push(at);
  else places.set(word, [at]);
}

function keyOf(word: Glob): string {
  return word.length === 1 ? word[0] : word.join("\0");
}

interface RemovalContext {
  readonly cwd: string;
  readonly home: string;
}

/** What makes an `rm` or `rmdir` critical: the word that names too much, or undefined. */
export function criticalRemoval(part: CommandPart, context: RemovalContext): string | undefined {
  const [name, ...args] = part.words;
  const head = name && staticValue(name)?.split("/").at(-1);
  if (head !== "rm" && head !== "rmdir") return undefined;
  const risky = args.find((word) => word.behindVariable || namesTooMuch(word, part, context));
  return risky?.raw;
}

const maxCandidates = 2_000;

/** The same for a text that could not be taken apart: the words after an `rm`, as they stand. */
export function criticalWords(text: string, context: RemovalContext): string | undefined {
  const seen = new Set<string>();
  let removing = false;
  let critical: string | undefined;
  forEachPlainWord(text, (word) => {
    if (critical !== undefined) return;
    if (!removing) {
      removing = /(^|\/)(rm|rmdir)$/.test(word);
    } else if (/^[/~.*]/.test(word) && !seen.has(word)) {
      seen.add(word);
      // Beyond the limit nothing is known; the user is asked.
      if (seen.size > maxCandidates || isCritical(word, context.cwd, context)) critical = word;
    }
  });
  return critical;
}

function namesTooMuch(word: ShellWord, part: CommandPart, context: RemovalContext): boolean {
  const folders = part.places.unknown ? [...part.places.folders, context.cwd] : part.places.folders;
  const [first, ...rest] = word.pieces;
  // `dir/*` empties dir: what counts is dir.
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
  const above = (inner: string) => whole === "/" || inner === whole || inner.startsWith(`${whole}/`);
  return (
    whole.split("/").length <= 2 ||
    above(posix.resolve(cwd)) ||
    above(posix.resolve(folder)) ||
    above(posix.resolve(home))
  );
}
