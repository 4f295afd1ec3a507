import { type CommandPattern, couldCover, covers } from "../rules/command-pattern.ts";
import type { Glob } from "../rules/glob.ts";
import { type CommandPart, type ShellWord, staticValue } from "./part.ts";

/** Stands for what is not known; no rule can hold it, so only a `*` meets it. */
const unknown = "\0";

/** A command as people read it and rules are written: words after quote removal, unknown ones as they stand (PE-28). */
export function shownText(part: CommandPart): string {
  return part.words.map((word) => shownWord(word) ?? word.raw).join(" ");
}

/** Whether an allow pattern covers a command: every word that is not known must be met by a `*`, as a whole. */
export function isCovered(part: CommandPart, pattern: CommandPattern): boolean {
  const head = part.words[0] && staticValue(part.words[0]);
  if (head === undefined) return false;
  if (head.includes("/") && !writesHead(pattern, head)) return false;
  const words = part.words.map((word) => shownWord(word) ?? unknown);
  return covers(pattern, [...words, ...(part.openEnded ? [unknown] : [])].join(" "));
}

/** How a deny or ask pattern meets a command: surely, only for some value of what is not known, or not at all. */
export function meets(part: CommandPart, pattern: CommandPattern): "surely" | "maybe" | "no" {
  const readings = readingsOf(part);
  if (covers(pattern, part.raw) || readings.some((text) => covers(pattern, text.join(unknown)))) return "surely";
  return readings.some((text) => couldCover(pattern, text)) ? "maybe" : "no";
}

/** A head with a slash is allowed only by a rule that writes its folder out. */
function writesHead(pattern: CommandPattern, head: string): boolean {
  const folder = head.slice(0, head.lastIndexOf("/") + 1);
  return pattern.forms.some((form) => form[0].startsWith(folder) && (form.length > 1 || form[0].startsWith(head)));
}

/** The texts a command may be: with its head as written and by its last segment, each decoded word in each reading. */
function readingsOf(part: CommandPart): Glob[] {
  const [name, ...args] = part.words;
  if (name === undefined) return [];
  const heads = [name, ...name.readings.map((value) => ({ ...name, pieces: [value] as const }))];
  const last = staticValue(name)?.split("/").at(-1);
  if (last !== undefined && last !== staticValue(name)) heads.push({ ...name, pieces: [last] });
  return heads.map((head) => joinWords([head, ...args], part.openEnded));
}

function joinWords(words: readonly ShellWord[], openEnded: boolean): Glob {
  const text: [string, ...string[]] = [""];
  let blank = "";
  for (const word of words) {
    const [first, ...rest] = shownPieces(word);
    // A word that may vanish takes its blank with it.
    const vanishes = word.splits && first === "";
    text[text.length - 1] += (vanishes ? "" : blank) + first;
    text.push(...rest);
    blank = vanishes && text.length === rest.length + 1 && text[0] === "" ? "" : " ";
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
