import { messageOf } from "../../protocol/internal.ts";
import { costs, type MaskedText, maskHeredocs, oddCharacters, parseShell } from "./prepare-text.ts";
import { type ShellPart, type ShellProblem, type ShellWord, staticValue } from "./shell-part.ts";
import { startState } from "./shell-state.ts";
import type { ShellWalk } from "./walk-context.ts";
import { walkBody, walkScript } from "./walk-script.ts";
import { isPathPattern, someWord } from "./word-pieces.ts";

/** Of scripts inside scripts, all together. */
const nestedCharacters = 65_536;
/** Of commands inside commands, all together: one line may be read in several ways, each of which holds others. */
const nestedWords = 200_000;

/** Of loops that change the folder, all together: they are walked beforehand to see where their rounds begin. */
const loopCharacters = 65_536;

/** Where a text for bash runs. */
export interface ShellContext {
  /** The working directory of the shell. */
  readonly cwd: string;
  /** What `~` means. */
  readonly home: string;
  /** Names in the environment the shell starts with. */
  readonly envNames?: readonly string[] | ReadonlySet<string>;
}

/** What a text for bash does, part by part. */
export interface ShellAnalysis {
  readonly text: string;
  /** True when every command, write, read and state change of the text is among the parts. */
  readonly complete: boolean;
  readonly problems: readonly ShellProblem[];
  readonly parts: readonly ShellPart[];
}

/**
 * Takes a text for bash apart. It starts nothing and reads no file.
 * Contract: when `complete`, bash runs no command and writes no file that no part lists. Never throws.
 */
export function analyseShell(text: string, context: ShellContext): ShellAnalysis {
  const masked = maskHeredocs(text);
  const heredocs = new Set<number>();
  const analysis = analyse(text, masked, heredocs, context);
  if (masked.bodies.every((body) => heredocs.has(body))) return analysis;
  // What was blotted out is no here-document after all.
  return analyse(text, { text, bodies: [], hidden: 0 }, heredocs, context);
}

function analyse(original: string, masked: MaskedText, heredocs: Set<number>, context: ShellContext): ShellAnalysis {
  const { text } = masked;
  const problems: ShellProblem[] = [...oddCharacters(original), ...costs(text, masked.hidden)];
  const parts: ShellPart[] = [];
  const result = () => ({ text: original, complete: problems.length === 0, problems, parts: withAnyFolder(parts) });
  if (problems.some(({ code }) => code.startsWith("too-"))) return result();
  const continued = text.indexOf("\\\n");
  if (continued >= 0) {
    problems.push({ code: "continuation", at: [continued, continued + 2], text: "a backslash at the end of a line" });
  }
  const parsed = parseShell(text);
  if ("failed" in parsed) {
    problems.push({ code: "syntax", at: [0, text.length], text: parsed.failed });
    return result();
  }
  const walk: ShellWalk = {
    // In a text that is cut off the tree may reach beyond its end.
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
    budget: { characters: nestedCharacters, words: nestedWords, loops: loopCharacters },
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
    walkScript(parsed.script, startState(context.cwd), walk);
  } catch (cause) {
    // Fields of the tree are read lazily and may fail as late as here.
    problems.push({
      code: "syntax",
      at: [0, text.length],
      text: messageOf(cause),
    });
  }
  return result();
}

/**
 * The parts, those behind a `cd` whose folder the text does not tell marked: they may run in any folder at all. What is only uncertain,
 * such as a `cd` that may not run, is not marked.
 */
function withAnyFolder(parts: readonly ShellPart[]): readonly ShellPart[] {
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
  return !word.expansions || word.expansions.some((text) => isPathPattern(text) || text.includes(someWord));
}
