import { messageOf } from "../../protocol/internal.ts";
import { badCall, checkContext } from "../check-call.ts";
import { characterProblems, costProblems, type MaskedText, maskHeredocs, parseShell } from "./prepare-text.ts";
import { headOf, type ShellPart, type ShellProblem, type ShellWord, staticValue } from "./shell-part.ts";
import { startIn } from "./shell-state.ts";
import type { ShellWalk } from "./walk-context.ts";
import { walkBody, walkScript } from "./walk-script.ts";
import { isOpenPattern } from "./word-pieces.ts";

/** The total length of nested scripts that is analyzed. */
const maxNestedCharacters = 65_536;
/** The total number of words of nested commands. One line may have several readings, and each may contain further commands. */
const maxNestedWords = 200_000;

/** The total length of loops that change the folder. Each is walked in advance to find the folders in which its rounds begin. */
const maxLoopCharacters = 65_536;

/** Where a bash text runs. */
export interface ShellContext {
  /** The working directory of the shell. */
  readonly cwd: string;
  /** The home folder, for `~`. */
  readonly home: string;
  /** Names of the variables in the environment of the shell. */
  readonly envNames?: readonly string[] | ReadonlySet<string>;
}

/** The parts of a bash text: everything that it does. */
export interface ShellAnalysis {
  readonly text: string;
  /** True when every command, write, read and state change of the text is among the parts. */
  readonly complete: boolean;
  readonly problems: readonly ShellProblem[];
  readonly parts: readonly ShellPart[];
}

/**
 * Splits a bash text into its parts. Starts no process and reads no file.
 * Contract: if `complete`, every command that bash runs and every file that it writes is listed in a part. Never throws because of a
 * text. A wrong argument throws `permissions/bad-call`.
 */
export function analyseShell(text: string, context: ShellContext): ShellAnalysis {
  if (typeof text !== "string") throw badCall("analyseShell", "its first argument must be a string");
  checkContext(context, "analyseShell", ["cwd", "home"]);
  return analyseText(text, context);
}

/** The same for a context that was checked. */
export function analyseText(text: string, context: ShellContext): ShellAnalysis {
  const masked = maskHeredocs(text);
  const heredocs = new Set<number>();
  const analysis = analyse(text, masked, heredocs, context);
  if (masked.bodies.every((body) => heredocs.has(body))) return analysis;
  // Some masked text is not a here-document after all: analyze again without the mask.
  return analyse(text, { text, bodies: [], hidden: 0 }, heredocs, context);
}

/** Text whose backslashes are all in single quotes, with no comment, substitution or here-document that could hold such a quote. */
const plainQuotes = /^(?:'[^']*'|"[^"\\`$]*"|\$\w|[^'"\\`$#<]|<(?!<))*$/;

function analyse(original: string, masked: MaskedText, heredocs: Set<number>, context: ShellContext): ShellAnalysis {
  const { text } = masked;
  const problems: ShellProblem[] = [...characterProblems(original), ...costProblems(text, masked.hidden)];
  const parts: ShellPart[] = [];
  const result = () => ({ text: original, complete: problems.length === 0, problems, parts: withAnyFolder(parts) });
  if (problems.some(({ code }) => code.startsWith("too-"))) return result();
  const continuation = text.indexOf("\\\n");
  if (continuation >= 0 && !plainQuotes.test(text)) {
    const at = [continuation, continuation + 2] as const;
    problems.push({ code: "continuation", at, text: "a backslash at the end of a line" });
  }
  const parsed = parseShell(text);
  if ("failed" in parsed) {
    problems.push({ code: "syntax", at: [0, text.length], text: parsed.failed });
    return result();
  }
  const walk: ShellWalk = {
    // In an incomplete text, positions of the tree may be beyond its end.
    scope: {
      source: text,
      original,
      heredocs,
      span: (pos, end) => [Math.min(pos, text.length), Math.min(end, text.length)],
    },
    parts,
    problems,
    via: [],
    dialect: "bash",
    depth: 0,
    budget: { characters: maxNestedCharacters, words: maxNestedWords, loops: maxLoopCharacters },
    home: context.home,
    envNames: new Set(context.envNames),
    volatile: new Set(),
    visited: new Set(),
    visitedBefore: new Set(),
    rehearses: false,
    walkScript,
    walkBody,
  };
  try {
    walkScript(parsed.script, startIn({ folders: [context.cwd], unknown: false }), walk);
  } catch (cause) {
    // The tree parses some fields on first access, so a syntax error may surface here.
    problems.push({ code: "syntax", at: [0, text.length], text: messageOf(cause) });
  }
  return result();
}

/**
 * Marks parts that may run in any folder, because a `cd` before them has an unknown target. Parts that are only uncertain, for example
 * because a `cd` may not run, are not marked.
 */
function withAnyFolder(parts: readonly ShellPart[]): readonly ShellPart[] {
  if (!parts.some(leadsAnywhere)) return parts;
  return parts.map((part) => (part.places.unknown ? { ...part, places: { ...part.places, anyFolder: true } } : part));
}

function leadsAnywhere(part: ShellPart): boolean {
  if (part.kind !== "command") return false;
  return /^(?:cd|pushd)$/.test(headOf(part) ?? "") && part.words.slice(1).some(mayBeAnyFolder);
}

function mayBeAnyFolder(word: ShellWord): boolean {
  if (staticValue(word) !== undefined || word.tilde !== undefined) return false;
  return !word.expansions || word.expansions.some(isOpenPattern);
}
