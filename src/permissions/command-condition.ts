import { type CommandPattern, couldCover } from "./rules/command-pattern.ts";
import { analyseShell, type ShellContext } from "./shell/analyse.ts";
import { joinContinuedLines } from "./shell/join-lines.ts";
import { type CommandPart, type ShellProblemCode, staticValue } from "./shell/part.ts";
import { meets, textsOf } from "./shell/text.ts";

/**
 * Whether a condition on commands holds for a text for bash. It holds when a command in the text meets it or may meet it. Where a part of
 * the text cannot be analysed, it holds when what runs there is decided at run time, or when the condition's command is named anywhere.
 */
export function commandHolds(pattern: CommandPattern, text: string, context: ShellContext): boolean {
  const joined = joinContinuedLines(text);
  const { complete, problems, parts } = analyseShell(joined ?? text, context);
  const commands = parts.filter((part) => part.kind === "command");
  if (commands.some((part) => meets(textsOf(part), pattern) !== "no")) return true;
  if (parts.some((part) => part.kind === "state" && couldCover(pattern, [part.text]))) return true;
  if (commands.some(runsUnknown)) return true;
  if (complete && commands.every((part) => part.opaque === undefined)) return isFedByOutput(pattern, commands);
  if (problems.some(({ code }) => unreadable.has(code))) return true;
  if (problems.some(({ code }) => code === "lexical") && /[$`]/.test(withoutSingleQuotes(text))) return true;
  return namesCommand(pattern, text);
}

/** The text as a whole is not one that the analysis reads: nothing is known about what it runs. */
const unreadable: ReadonlySet<ShellProblemCode> = new Set<ShellProblemCode>([
  ...(["nul", "odd-character", "too-long", "too-many-parts", "too-deep", "too-costly", "syntax"] as const),
]);

/** Builtins that run text or files; what they are given may be known only at run time. */
const runners = new Set(["eval", "source", ".", "trap", "exec", "alias", "enable", "bind", "complete", "mapfile"]);

/** True for a command that starts something which only the run will show: a script from a pipe, `eval "$X"`. */
function runsUnknown({ opaque, words }: CommandPart): boolean {
  const [name, ...args] = words;
  const open = args.some((word) => staticValue(word) === undefined);
  // An option that is not known says nothing about what runs; all else that hides a command does.
  if (opaque !== undefined) return open || !/\boptions? of\b/.test(opaque);
  return open && name !== undefined && runners.has(staticValue(name) ?? "");
}

/** As measured: where output of one command becomes words of another, a condition with arguments counts as met. */
function isFedByOutput(pattern: CommandPattern, commands: readonly CommandPart[]): boolean {
  if (namesHeadOnly(pattern)) return false;
  return commands.some(({ words }) => words.some(({ raw }) => /\$\((?!\()|`/.test(withoutSingleQuotes(raw))));
}

/** `npm *`, `npm:*` and `npm*`: a head, and anything. */
function namesHeadOnly(pattern: CommandPattern): boolean {
  const last = pattern.forms.at(-1);
  return last !== undefined && last.length === 2 && last[1] === "" && !last[0].trim().includes(" ");
}

/** Whether the condition's command is named anywhere once quotes and backslashes are gone, as a word or behind a short option. */
function namesCommand(pattern: CommandPattern, text: string): boolean {
  const plain = text.replace(/\\\n/g, "").replace(/['"\\]/g, "");
  return pattern.forms.some((form) => {
    const [, word = ""] = /^\s*(\S*)/.exec(form[0]) ?? [];
    const name = word.slice(word.lastIndexOf("/") + 1);
    if (name === "") return true;
    const open = form.length > 1 && form[0].trimEnd() === form[0] && form[0].trim() === word;
    const end = open ? "" : "(?![\\w-])";
    return new RegExp(`(?<![\\w.-])(?:-[A-Za-z])?${escaped(name)}${end}`).test(plain);
  });
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Quotes in the usual sense only: inside double quotes an apostrophe is a letter. */
function withoutSingleQuotes(text: string): string {
  return text.replace(/"(?:\\[\s\S]|[^"\\])*"|\\[\s\S]|'[^']*'/g, (quoted) => (quoted.startsWith("'") ? "" : quoted));
}
