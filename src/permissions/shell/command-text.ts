import type { Glob } from "../rules/spec-glob.ts";
import { type CommandPattern, couldCover, covers } from "../rules/spec-patterns.ts";
import { withoutGlobalOptions } from "./programs/git-commands.ts";
import { type CommandPart, headOf, type ShellWord, staticValue } from "./shell-part.ts";

/** Stands for what is not known; no rule can hold it, so only a `*` meets it. */
const unknown = "\0";

/** A command as people read it and rules are written: words after quote removal, unknown ones as they stand. */
export function shownText(part: CommandPart): string {
  return part.words.map((word) => shownWord(word) ?? word.raw).join(" ");
}

/** The texts of a command that rules are held against, made once for many rules. */
export interface CommandTexts {
  readonly head: string | undefined;
  /** Each word that is not known as one sign. */
  readonly certain: string;
  /** With what is known of such words; `text` has the sign in each gap. */
  readonly readings: readonly { readonly glob: Glob; readonly text: string }[];
  readonly raw: string;
}

export function textsOf(part: CommandPart): CommandTexts {
  const words = part.words.map((word) => shownWord(word) ?? unknown);
  if (part.openEnded) words.push(unknown);
  const certain = words.join(" ");
  const head = headOf(part);
  // Where every word is known and the head is a bare name there is one reading.
  const plain =
    head !== undefined &&
    !head.includes("/") &&
    !certain.includes(unknown) &&
    part.words[0]?.readings.length === 0 &&
    !certain.startsWith("git -");
  return { head, certain, readings: plain ? [{ glob: [certain], text: certain }] : readingsOf(part), raw: part.raw };
}

/** Whether an allow pattern covers a command: every word that is not known must be met by a `*`, as a whole. */
export function isCovered({ head, certain }: CommandTexts, pattern: CommandPattern): boolean {
  if (head === undefined || (head.includes("/") && !writesHead(pattern, head))) return false;
  return covers(pattern, certain);
}

/** How a deny or ask pattern meets a command: surely, only for some value of what is not known, or not at all. */
export function meets({ readings, raw }: CommandTexts, pattern: CommandPattern): "surely" | "maybe" | "no" {
  if (covers(pattern, raw)) return "surely";
  for (const { text } of readings) if (covers(pattern, text)) return "surely";
  for (const { glob } of readings) if (glob.length > 1 && couldCover(pattern, glob)) return "maybe";
  return "no";
}

function readingsOf(part: CommandPart): { glob: Glob; text: string }[] {
  return headsOf(part).map((words) => {
    const texts = words.map((word) => shownPieces(word).join(unknown));
    if (part.openEnded) texts.push(unknown);
    return { glob: joinWords(words, part.openEnded), text: texts.join(" ") };
  });
}

/** A head with a slash is allowed only by a rule that writes its folder out. */
function writesHead(pattern: CommandPattern, head: string): boolean {
  const folder = head.slice(0, head.lastIndexOf("/") + 1);
  return pattern.forms.some((form) => form[0].startsWith(folder) && (form.length > 1 || form[0].startsWith(head)));
}

/** The words with the head as written, by its last segment, and in each reading of a decoded one; `git -C x push` as `git push` too. */
function headsOf(part: CommandPart): ShellWord[][] {
  const [name, ...args] = part.words;
  if (name === undefined) return [];
  const heads: ShellWord[] = [name, ...name.readings.map((value): ShellWord => ({ ...name, pieces: [value] }))];
  const last = lastSegment(name.pieces);
  if (last !== undefined) heads.push({ ...name, pieces: last });
  const lines = heads.map((head) => [head, ...args]);
  return lines.flatMap((line) => {
    const short = staticValue(line[0] ?? name) === "git" ? withoutGlobalOptions(line) : undefined;
    return short ? [line, short] : [line];
  });
}

/** What follows the last known slash, gaps included: `/usr/bin/r*` gives `r*`. Undefined without a slash. */
function lastSegment(pieces: Glob): Glob | undefined {
  const at = pieces.findLastIndex((piece) => piece.includes("/"));
  const [piece = "", ...rest] = at < 0 ? [] : pieces.slice(at);
  return at < 0 ? undefined : [piece.slice(piece.lastIndexOf("/") + 1), ...rest];
}

/** Known text with gaps, so that every command the words may become fits it. */
function joinWords(words: readonly ShellWord[], openEnded: boolean): Glob {
  const text: [string, ...string[]] = [""];
  // Until a word is sure to be there, the next one may be the first.
  let blank = "";
  for (const word of words) {
    const [first, ...rest] = shownPieces(word);
    // A word that may vanish takes its blank with it; one with text of its own, as `$x.txt`, stays.
    const vanishes = word.splits && first === "" && rest.every((piece) => piece === "");
    text[text.length - 1] += (vanishes ? "" : blank) + first;
    text.push(...rest);
    if (!vanishes) blank = " ";
  }
  if (openEnded) text.push("");
  return text;
}

function shownPieces(word: ShellWord): Glob {
  const shown = shownWord(word);
  return shown === undefined ? word.pieces : [shown];
}

/** A word that is empty, holds a blank or begins with a quote is shown in quotes, so that no other words look like it. */
function shownWord(word: ShellWord): string | undefined {
  const value = staticValue(word);
  if (value === undefined) return undefined;
  return value === "" || /[\s]|^"/.test(value) ? `"${value.replace(/["\\$`]/g, "\\$&")}"` : value;
}

/** Whether a pattern is written over several commands, such as `curl * | bash`: no part of a command is like it. */
export function joinsCommands({ forms }: CommandPattern): boolean {
  return forms.some((form) => form.some((piece) => /[|&;]/.test(piece)));
}

/** Whether such a pattern covers a text as a whole or one of its pipelines, whatever blanks stand around the operators. */
export function coversText(text: string): (pattern: CommandPattern) => boolean {
  const spellings = spellingsOf(text);
  return (pattern) => spellings.some((spelling) => covers(pattern, spelling));
}

function spellingsOf(text: string): readonly string[] {
  const pipelines = text.split(/&&|\|\||[;\n]/);
  const texts = new Set(
    [text, ...(pipelines.length > 1 ? pipelines : [])].map((one) => one.replace(/\s+/g, " ").trim()),
  );
  return [...texts].flatMap((one) => {
    const tight = one.replace(/ ?(&&|\|\||\|&|[|;&]) ?/g, "$1");
    const spaced = tight.replace(/&&|\|\||\|&|[|;&]/g, " $& ").trim();
    return [...new Set([one, tight, spaced, spaced.replaceAll(" ;", ";")])];
  });
}
