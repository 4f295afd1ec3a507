import { escapeRegExp } from "../../protocol/internal.ts";
import { type CommandPattern, couldCover } from "../rules/spec-patterns.ts";
import { analyseText, type ShellAnalysis, type ShellContext } from "../shell/analyse.ts";
import { coversText, joinsCommands, meets, textsOf } from "../shell/command-text.ts";
import { readBuiltin } from "../shell/programs/builtins.ts";
import { readsOpenFile, shells } from "../shell/programs/wrappers.ts";
import { type CommandPart, type ShellPart, type ShellWord, staticValue } from "../shell/shell-part.ts";

/** A text for bash as a condition reads it. */
export function analyseForCondition(text: string, context: ShellContext): ShellAnalysis {
  return analyseText(joinContinuedLines(text) ?? text, context);
}

/**
 * Whether a condition on commands holds for a text for bash. It holds when a command in the text meets it or may meet it. Where a part of
 * the text cannot be analyzed, it holds when what runs there is decided at run time, or when the condition's command is named anywhere.
 */
export function commandHolds(
  pattern: CommandPattern,
  text: string,
  { complete, problems, parts }: ShellAnalysis,
  context: ShellContext,
): boolean {
  const commands = parts.filter((part) => part.kind === "command");
  if (commands.some((part) => meets(textsOf(part), pattern) !== "no")) return true;
  if (commands.length > 1 && joinsCommands(pattern) && coversText(text)(pattern)) return true;
  if (parts.some((part) => part.kind === "state" && couldCover(pattern, [part.text]))) return true;
  // The program is known only at run time: it may be one that starts another, such as a shell.
  if (commands.some((part) => hasOpenHead(part) || runsUnknown(part) || trapsUnknown(part, context))) return true;
  const programs = parts.flatMap(programSet);
  if (programs.some((text) => /^[\w]+=["']*[$`]/.test(text))) return true;
  if (programs.some((text) => namesCommand(pattern, text))) return true;
  if (complete && commands.every((part) => part.opaque === undefined)) return isFedByOutput(pattern, commands);
  if (problems.some(({ code }) => unreadable.test(code))) return true;
  const signs = problems.some(({ code }) => code === "lexical") ? /[$`]|[<>]\(/ : /@P\}/;
  // A continued line may cut a sign in two.
  const readings = [text, text.replaceAll("\\\n", "")];
  if (readings.some((reading) => signs.test(withoutSingleQuotes(reading)) || losesHeredoc.test(reading))) return true;
  return namesCommand(pattern, text);
}

/** Problems with the whole text: nothing is known about what it runs. */
const unreadable = /^(?:nul|odd-character|syntax|too-[a-z-]+)$/;

/** Text behind `((` that is not arithmetic is read a second time by bash, which may then run the lines of a here-document. */
const losesHeredoc = /\(\([\s\S]*<<[\s\S]*\n/;

/** Builtins that run text or files, which may be known only at run time. */
const runners = new Set(
  "eval source . trap exec alias enable bind complete compgen hash jobs fc mapfile readarray".split(" "),
);

/** Variables whose value is a program or a script that another program runs. */
const programNames =
  /^(BASH_ENV|ENV|PROMPT_COMMAND|PS4|(MAN|GIT_)?PAGER|(GIT_|GIT_SEQUENCE_|SUDO_)?EDITOR|VISUAL|GIT_SSH(_COMMAND)?|GIT_EXTERNAL_DIFF|(GIT|SSH|SUDO)_ASKPASS|GIT_PROXY_COMMAND|GIT_CONFIG_.*|LESSOPEN|LESSCLOSE|BROWSER|RSYNC_RSH)$/;

/** The source text of an assignment to such a variable. */
function programSet(part: ShellPart): string[] {
  return part.kind === "state" && programNames.test(part.head) ? [part.text] : [];
}

/** Whether a command starts something that is known only at run time: a script from a pipe, `eval "$X"`. */
function runsUnknown({ opaque, words }: CommandPart): boolean {
  const [name, ...args] = words;
  const open = args.some((word) => staticValue(word) === undefined);
  // An unknown option alone does not hide a command; every other reason does.
  if (opaque !== undefined) return open || !/\boptions? of\b/.test(opaque) || startsShell(words);
  const head = staticValue(name) ?? "";
  if (/^(source|\.)$/.test(head) && args[0] && readsOpenFile(args[0])) return true;
  if (/^(mapfile|readarray)$/.test(head) && args.some((word) => /^-[A-Za-z]*C/.test(word.pieces[0]))) return true;
  if (open) return runners.has(head);
  return !runners.has(head) && readBuiltin(head, args) === "evaluates" && args.some(holdsSubstitution);
}

function hasOpenHead({ words: [head] }: CommandPart): boolean {
  return head !== undefined && staticValue(head) === undefined;
}

/** `trap '$x y' EXIT`: which command a trap runs later is decided then. */
function trapsUnknown({ words: [name, ...args] }: CommandPart, context: ShellContext): boolean {
  if (staticValue(name) !== "trap") return false;
  const action = args.map((word) => staticValue(word) ?? "").find((text) => !text.startsWith("-"));
  if (action === undefined || !/[$`]/.test(action)) return false;
  return analyseText(action, context).parts.some((part) => part.kind === "command" && hasOpenHead(part));
}

/** `let 'a[$(…)]'`: a builtin that evaluates its arguments runs a substitution in them, whatever their quotes. */
function holdsSubstitution(word: ShellWord): boolean {
  return /\$\(|`/.test(staticValue(word) ?? "");
}

/** Whether the words, after unknown options, contain a shell that reads its commands or gets some that are not known. */
function startsShell(words: readonly ShellWord[]): boolean {
  const texts = words.map((word) => staticValue(word) ?? "");
  const at = texts.findIndex((text) => shells.has(text.slice(text.lastIndexOf("/") + 1)));
  const args = at < 0 ? [] : texts.slice(at + 1);
  if (at < 0) return false;
  return !args.some((text) => /^[-+][A-Za-z]*c/.test(text)) || args.some((text) => /[$`]/.test(text));
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

/** Whether the condition's command is named anywhere once quotes and backslashes are removed, as a word or after a short option. */
function namesCommand(pattern: CommandPattern, text: string): boolean {
  const texts = plainTexts(text);
  return pattern.forms.some((form) => {
    const [, word = ""] = /^\s*(\S*)/.exec(form[0]) ?? [];
    const name = word.slice(word.lastIndexOf("/") + 1);
    if (name === "") return true;
    const open = form.length > 1 && form[0].trimEnd() === form[0] && form[0].trim() === word;
    const end = open ? "" : "(?![\\w-])";
    const named = new RegExp(
      `(?<![\\w.-])(?:-[A-Za-z])?${escapeRegExp(name)}${end}`,
      changesCase.test(text) ? "i" : "",
    );
    return texts.some((plain) => named.test(plain));
  });
}

/** `${x^^}`, `${x@L}` and `declare -u x`: text that bash evaluates later may have other letters than it is written with. */
const changesCase = /\$\{[^}]{0,256}?(?:[\^,]|@[ULu])|\b(?:declare|typeset|local|readonly)\s+[-+]\w*[clu]/;

/** Quotes in the usual sense only: inside double quotes an apostrophe is a letter. */
function withoutSingleQuotes(text: string): string {
  return text.replace(/"(?:\\[\s\S]|[^"\\])*"|\\[\s\S]|'[^']*'/g, (quoted) => (quoted.startsWith("'") ? "" : quoted));
}

/**
 * A text for bash without its quotes and backslashes, in each way it may be read: with continued lines joined and apart, with the body of
 * `$'…'` decoded, and with the `$` of `$"…"` as a part of the quote.
 */
function plainTexts(text: string): string[] {
  const joined = text.replaceAll("\\\n", "");
  const readings = joined === text ? [text] : [joined, text];
  return readings
    .flatMap((reading) => (reading.includes("$'") ? [reading, ...decodings(reading)] : [reading]))
    .flatMap((reading) => [...new Set([reading, reading.replace(/\$(?=\\*")/g, "")])])
    .map((reading) => reading.replace(/['"\\]/g, ""));
}

/** In scripts inside scripts a backslash is written several times: once each run counts as one, once each counts as it is written. */
function decodings(text: string): string[] {
  return [decoded(text.replace(/\\+/g, "\\")), decoded(text).replaceAll("\\\n", "")];
}

function decoded(text: string): string {
  return text.replace(/\$'((?:\\[\s\S]|[^'\\])*)'/g, (_, body: string) => body.replace(escapes, decodeOne));
}

const escapes = /\\(?:x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[0-7]{1,3}|c?[\s\S])/g;

function decodeOne(whole: string): string {
  const sign = whole[1] ?? "";
  if (/[xuU]/.test(sign) && whole.length > 2) return character(Number.parseInt(whole.slice(2), 16));
  if (/[0-7]/.test(sign)) return character(Number.parseInt(whole.slice(1), 8));
  if (sign === "n") return "\n";
  return /[abeEfrtvc]/.test(sign) ? " " : sign;
}

function character(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

/**
 * A text for bash with continued lines joined, as bash reads it: a backslash and the newline behind it vanish, but for single quotes.
 * Undefined where that takes more than quotes to decide, as in comments, here-documents and `$'…'`.
 */
function joinContinuedLines(text: string): string | undefined {
  if (!text.includes("\\\n")) return text;
  // A continued line may cut a sign in two.
  if (/#|<<|\$'/.test(text.replaceAll("\\\n", ""))) return undefined;
  let joined = "";
  let quote: "'" | '"' | undefined;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] as string;
    if (sign === "\\" && quote !== "'") {
      const next = text[at + 1] ?? "";
      if (next !== "\n") joined += sign + next;
      at++;
      continue;
    }
    if (sign === quote) quote = undefined;
    else if (quote === undefined && (sign === "'" || sign === '"')) quote = sign;
    joined += sign;
  }
  return joined;
}
