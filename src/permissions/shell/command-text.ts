import { type CommandPattern, couldCover, covers, type Glob } from "../rules/spec-patterns.ts";
import { withoutGlobalOptions } from "./programs/git-commands.ts";
import { type CommandPart, headOf, type ShellWord, staticValue } from "./shell-part.ts";

/** Stands for an unknown word. No rule can contain it, so only `*` matches it. */
const unknownMark = "\0";

/** A command for messages and rules: its words without quotes, unknown words as written. */
export function displayText(part: CommandPart): string {
  return part.words.map((word) => quotedWord(word) ?? word.raw).join(" ");
}

/** The texts of a command that are compared with rules, made once for many rules. */
export interface CommandTexts {
  readonly head: string | undefined;
  /** The command with `unknownMark` for each unknown word. */
  readonly certain: string;
  /** Every reading of the command, with the known pieces of unknown words. `text` has `unknownMark` in each gap. */
  readonly readings: readonly { readonly glob: Glob; readonly text: string }[];
  readonly raw: string;
}

export function textsOf(part: CommandPart): CommandTexts {
  const words = part.words.map((word) => quotedWord(word) ?? unknownMark);
  if (part.openEnded) words.push(unknownMark);
  const certain = words.join(" ");
  const head = headOf(part);
  // If every word is known and the head is a plain name, there is only one reading.
  const plain =
    head !== undefined &&
    !head.includes("/") &&
    !certain.includes(unknownMark) &&
    part.words[0]?.readings.length === 0 &&
    !certain.startsWith("git -");
  return { head, certain, readings: plain ? [{ glob: [certain], text: certain }] : readingsOf(part), raw: part.raw };
}

/** Whether an allow pattern covers a command. A `*` must cover each unknown word completely. */
export function isCovered({ head, certain }: CommandTexts, pattern: CommandPattern): boolean {
  if (head === undefined || (head.includes("/") && !namesFolderOf(pattern, head))) return false;
  return covers(pattern, certain);
}

/** Whether a deny or ask pattern matches a command: surely, for some values of unknown words, or not at all. */
export function meets({ readings, raw }: CommandTexts, pattern: CommandPattern): "surely" | "maybe" | "no" {
  if (covers(pattern, raw)) return "surely";
  for (const { text } of readings) if (covers(pattern, text)) return "surely";
  for (const { glob } of readings) if (glob.length > 1 && couldCover(pattern, glob)) return "maybe";
  return "no";
}

function readingsOf(part: CommandPart): { glob: Glob; text: string }[] {
  return commandLines(part).map((words) => {
    const texts = words.map((word) => displayPieces(word).join(unknownMark));
    if (part.openEnded) texts.push(unknownMark);
    return { glob: joinWords(words, part.openEnded), text: texts.join(" ") };
  });
}

/** A head with a slash is only covered by a rule that names its folder. */
function namesFolderOf(pattern: CommandPattern, head: string): boolean {
  const folder = head.slice(0, head.lastIndexOf("/") + 1);
  return pattern.forms.some((form) => form[0].startsWith(folder) && (form.length > 1 || form[0].startsWith(head)));
}

/** The command with its head as written, without folders, and in each decoded reading; `git -C x push` also as `git push`. */
function commandLines(part: CommandPart): ShellWord[][] {
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

/** The text after the last known slash, including gaps: `/usr/bin/r*` gives `r*`. Undefined without a slash. */
function lastSegment(pieces: Glob): Glob | undefined {
  const at = pieces.findLastIndex((piece) => piece.includes("/"));
  const [piece = "", ...rest] = at < 0 ? [] : pieces.slice(at);
  return at < 0 ? undefined : [piece.slice(piece.lastIndexOf("/") + 1), ...rest];
}

/** The known text with gaps. It matches every command that the words may become. */
function joinWords(words: readonly ShellWord[], openEnded: boolean): Glob {
  const text: [string, ...string[]] = [""];
  // Empty until one word surely exists: before that, the next word may be the first.
  let blank = "";
  for (const word of words) {
    const [first, ...rest] = displayPieces(word);
    // A word that may expand to nothing also removes its blank. One with literal text, such as `$x.txt`, stays.
    const vanishes = word.splits && first === "" && rest.every((piece) => piece === "");
    text[text.length - 1] += (vanishes ? "" : blank) + first;
    text.push(...rest);
    if (!vanishes) blank = " ";
  }
  if (openEnded) text.push("");
  return text;
}

function displayPieces(word: ShellWord): Glob {
  const shown = quotedWord(word);
  return shown === undefined ? word.pieces : [shown];
}

/** The value of a known word. It is quoted if it is empty, contains a blank or begins with a quote, so that it stays unambiguous. */
function quotedWord(word: ShellWord): string | undefined {
  const value = staticValue(word);
  if (value === undefined) return undefined;
  return value === "" || /[\s]|^"/.test(value) ? `"${value.replace(/["\\$`]/g, "\\$&")}"` : value;
}

/** Whether a pattern spans several commands, such as `curl * | bash`. No single command matches it. */
export function joinsCommands({ forms }: CommandPattern): boolean {
  return forms.some((form) => form.some((piece) => /[|&;]/.test(piece)));
}

/** Tests whether such a pattern covers the whole text or one of its pipelines. Blanks around operators do not matter. */
export function coversText(text: string): (pattern: CommandPattern) => boolean {
  const spellings = spellingsOf(text);
  return (pattern) => spellings.some((spelling) => covers(pattern, spelling));
}

function spellingsOf(text: string): readonly string[] {
  const pipelines = text.split(/&&|\|\||[;\n]/);
  const texts = new Set(
    [text, ...(pipelines.length > 1 ? pipelines : [])].map((pipeline) => pipeline.replace(/\s+/g, " ").trim()),
  );
  return [...texts].flatMap((spelling) => {
    const tight = spelling.replace(/ ?(&&|\|\||\|&|[|;&]) ?/g, "$1");
    const spaced = tight.replace(/&&|\|\||\|&|[|;&]/g, " $& ").trim();
    return [...new Set([spelling, tight, spaced, spaced.replaceAll(" ;", ";")])];
  });
}
