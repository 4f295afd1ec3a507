import type { Assignment } from "unbash";
import { collectScripts } from "./expansion.ts";
import { report, type TextSource, type WordFindings } from "./scope.ts";
import { type ShellWord, type Span, staticValue } from "./shell-part.ts";
import { placesIn, type ShellState, withoutVariables, withVariable } from "./shell-state.ts";
import { isHarmlessName, isPrivateName, type ShellWalk } from "./walk-context.ts";
import { type ReadWord, readWord } from "./word.ts";
import { assignAtoms, type Expander, escapePattern, expandAtoms, type VariableValue } from "./word-pieces.ts";

/** `name=value` before a command goes into its environment; alone it stays in the shell. Gives what is known afterwards. */
export function walkAssignment(
  node: Assignment,
  exported: boolean,
  state: ShellState,
  walk: ShellWalk,
  found: WordFindings,
): ShellState {
  const { scope } = walk;
  const raw = scope.source.slice(node.pos, node.end);
  const shape = /^([A-Za-z_][A-Za-z0-9_]*)(\+?)=/.exec(raw);
  if (
    shape === null ||
    node.index !== undefined ||
    node.value.type !== "Word" ||
    shape[0].length + node.value.text.length !== raw.length
  ) {
    report(found, "construct", scope, node, raw);
    collectScripts(node, scope, found);
    return state;
  }
  if (shape[2] === "+" && walk.dialect !== "bash") report(found, "construct", scope, node, "+= is not every shell's");
  const value = readWord(node.value, scope, found);
  const name = shape[1] ?? "";
  const known = staticValue(value) !== undefined && isHarmlessName(name);
  addName(
    name,
    raw,
    scope.span(node.pos, node.end),
    known || (!exported && isPrivateName(name, walk.envNames)),
    state,
    walk,
  );
  // A name set for one command is not seen by its own words; what some shells keep of it afterwards is not known.
  const values = exported ? undefined : assignedValues(value, state, walk);
  const before = shape[2] === "+" ? state.variables.get(name) : [{ text: "", live: false }];
  return { ...state, variables: withVariable(state.variables, name, joined(before, values)) };
}

function joined(
  before: readonly VariableValue[] | undefined,
  added: readonly VariableValue[] | undefined,
): readonly VariableValue[] | undefined {
  if (before === undefined || added === undefined) return undefined;
  if (before.length === 1 && before[0]?.text === "") return added;
  if ([...before, ...added].some(({ live }) => live)) return undefined;
  return before.flatMap((first) => added.map(({ text }) => ({ text: first.text + text, live: false })));
}

export function addName(name: string, text: string, at: Span, safe: boolean, state: ShellState, walk: ShellWalk): void {
  const part = { kind: "state", text, head: name, at, via: walk.via, places: placesIn(state) } as const;
  walk.parts.push(safe ? part : { ...part, unsafe: name });
}

/** `export A=1`: the parser gives the assignment apart; as an argument it is one word. */
export function readAssignedWord(node: Assignment, scope: TextSource, found: WordFindings): ReadWord {
  const raw = scope.source.slice(node.pos, node.end);
  if (node.value.type !== "Word" || node.index !== undefined || !raw.endsWith(node.value.text)) {
    report(found, "construct", scope, node, raw);
    collectScripts(node, scope, found);
    return {
      pieces: ["", ""],
      raw,
      at: scope.span(node.pos, node.end),
      splits: true,
      behindVariable: false,
      readings: [],
    };
  }
  const value = readWord(node.value, scope, found);
  const [first, ...rest] = value.pieces;
  const { atoms, ...word } = value;
  const name = { pattern: escapePattern(raw.slice(0, -node.value.text.length)), quoted: true };
  return {
    ...word,
    ...(atoms ? { atoms: [name, ...atoms] } : {}),
    raw,
    at: scope.span(node.pos, node.end),
    pieces: [raw.slice(0, -node.value.text.length) + first, ...rest],
  };
}

/** Everything that reading words brought to light: its problems, its scripts in a shell of their own, its names. */
export function walkFindings(found: WordFindings, state: ShellState, walk: ShellWalk): void {
  for (const problem of found.problems) walk.problems.push(problem);
  for (const { script, scope } of found.nested) walk.walkScript(script, state, { ...walk, scope });
  for (const { name, at } of found.names) {
    walk.volatile.add(name);
    addName(name, name, at, isPrivateName(name, walk.envNames), state, walk);
  }
}

/** The words of one command, each spelling expanded once. */
export function expandWords(words: readonly ReadWord[], state: ShellState, walk: ShellWalk): ShellWord[] {
  const known = new Map<string, Pick<ShellWord, "expansions" | "reveals">>();
  return words.map((word) => {
    const before = known.get(word.raw);
    if (before) {
      const { atoms: _, ...plain } = word;
      return { ...plain, ...before };
    }
    const expanded = expandWord(word, state, walk);
    const { expansions, reveals } = expanded;
    known.set(word.raw, { ...(expansions && { expansions }), ...(reveals && { reveals }) });
    return expanded;
  });
}

/** The word with all that it may become, as far as that is known. */
export function expandWord(word: ReadWord, state: ShellState, walk: ShellWalk): ShellWord {
  const { atoms, ...plain } = word;
  if (staticValue(word) !== undefined) return plain;
  const expansions = atoms && expansionsOf(word, state, walk);
  const reveals = revealedNames(word.raw, knownIn(state, walk));
  return { ...plain, ...(expansions ? { expansions } : {}), ...(reveals.length > 0 ? { reveals } : {}) };
}

/** Whether the script itself says what a variable holds. */
export function knownIn({ variables }: ShellState, { volatile }: ShellWalk): (name: string) => boolean {
  return (name) => variables.has(name) && !volatile.has(name);
}

export function expansionsOf({ atoms }: ReadWord, state: ShellState, walk: ShellWalk): readonly string[] | undefined {
  return atoms && expandAtoms(atoms, expander(state, walk));
}

/** What a variable holds after `name=word`. */
function assignedValues(word: ReadWord, state: ShellState, walk: ShellWalk): readonly VariableValue[] | undefined {
  const text = staticValue(word);
  if (text !== undefined) return [{ text, live: false }];
  return word.atoms && assignAtoms(word.atoms, expander(state, walk));
}

function expander({ folders, unknown, variables }: ShellState, { home, volatile }: ShellWalk): Expander {
  return { variables: withoutVariables(variables, volatile), folders: unknown ? undefined : folders, home };
}

/** Names whose value is no secret, and the shell's own numbers and arguments. */
const openNames =
  /^([?#!$0-9@*]|PWD|OLDPWD|HOME|USER|LOGNAME|SHELL|PATH|LANG|LC_[A-Z]+|TERM|TMPDIR|HOSTNAME|SHLVL|RANDOM|SECONDS|LINENO)$/;

/**
 * The variables in a piece of a script whose value may be a secret: those that are neither known from the script itself nor
 * on the list. Text in single quotes is skipped, unless it is that of a here-document.
 */
export function revealedNames(raw: string, isKnown: (name: string) => boolean, inHeredoc = false): readonly string[] {
  if (!raw.includes("$")) return [];
  const names = new Set<string>();
  let quoted = inHeredoc;
  for (let at = 0; at < raw.length; at++) {
    const char = raw[at];
    if (char === "\\") at += 1;
    else if (char === '"' && !inHeredoc) quoted = !quoted;
    else if (char === "'" && !quoted) at = Math.max(at, raw.indexOf("'", at + 1));
    else if (char === "$") {
      const name = /^\$\{?[#!]?([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[?#!$@*-])/.exec(raw.slice(at, at + 300))?.[1];
      if (name !== undefined && !openNames.test(/^\d+$/.test(name) ? "0" : name) && !isKnown(name)) names.add(name);
    }
  }
  return [...names];
}
