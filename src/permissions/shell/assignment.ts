import type { Assignment } from "unbash";
import { collectScripts } from "./expansion.ts";
import { emptyWord, type ShellWord, staticValue, type TextRange } from "./shell-part.ts";
import { placesIn, type ShellState, withoutVariables, withVariable } from "./shell-state.ts";
import { isHarmlessName, isPrivateName, report, type ShellWalk, sourceOf, type WordFindings } from "./walk-context.ts";
import { type ReadWord, readWord } from "./word.ts";
import { assignAtoms, type Expander, expandAtoms, quotedAtom, type VariableValue } from "./word-pieces.ts";

/** Walks `name=value`, which is exported if a command follows. Returns the state afterwards. */
export function walkAssignment(
  node: Assignment,
  exported: boolean,
  state: ShellState,
  walk: ShellWalk,
  findings: WordFindings,
): ShellState {
  const raw = sourceOf(findings.scope, node);
  const match = /^([A-Za-z_][A-Za-z0-9_]*)(\+?)=/.exec(raw);
  if (
    match === null ||
    node.index !== undefined ||
    node.value.type !== "Word" ||
    match[0].length + node.value.text.length !== raw.length
  ) {
    report(findings, "construct", node);
    collectScripts(node, findings);
    return state;
  }
  if (match[2] === "+" && walk.dialect !== "bash")
    report(findings, "construct", node, "+= is not supported by every shell");
  const value = readWord(node.value, findings);
  const name = match[1] ?? "";
  const isKnownAndHarmless = staticValue(value) !== undefined && isHarmlessName(name);
  const isSafe = isKnownAndHarmless || (!exported && isPrivateName(name, walk.envNames));
  addVariablePart(name, raw, findings.scope.span(node.pos, node.end), isSafe, state, walk);
  // A variable set for one command does not affect the command's own words. Some shells keep it afterwards, so it is unknown then.
  const values = exported ? undefined : assignedValues(value, state, walk);
  const previous = match[2] === "+" ? state.variables.get(name) : [{ text: "", isPattern: false }];
  return { ...state, variables: withVariable(state.variables, name, appendValues(previous, values)) };
}

function appendValues(
  before: readonly VariableValue[] | undefined,
  added: readonly VariableValue[] | undefined,
): readonly VariableValue[] | undefined {
  if (before === undefined || added === undefined) return undefined;
  if (before.length === 1 && before[0]?.text === "") return added;
  if ([...before, ...added].some(({ isPattern }) => isPattern)) return undefined;
  return before.flatMap((first) => added.map(({ text }) => ({ text: first.text + text, isPattern: false })));
}

export function addVariablePart(
  name: string,
  text: string,
  at: TextRange,
  safe: boolean,
  state: ShellState,
  walk: ShellWalk,
): void {
  const part = { kind: "state", text, head: name, at, via: walk.via, places: placesIn(state) } as const;
  walk.parts.push(safe ? part : { ...part, unsafe: name });
}

/** Reads the assignment in `export A=1` as one word. The parser returns name and value separately. */
export function readAssignedWord(node: Assignment, findings: WordFindings): ReadWord {
  const raw = sourceOf(findings.scope, node);
  const at = findings.scope.span(node.pos, node.end);
  if (node.value.type !== "Word" || node.index !== undefined || !raw.endsWith(node.value.text)) {
    report(findings, "construct", node);
    collectScripts(node, findings);
    return { ...emptyWord, pieces: ["", ""], raw, at, splits: true };
  }
  const value = readWord(node.value, findings);
  const [first, ...rest] = value.pieces;
  const { atoms, ...word } = value;
  const name = quotedAtom(raw.slice(0, -node.value.text.length));
  return {
    ...word,
    ...(atoms ? { atoms: [name, ...atoms] } : {}),
    raw,
    at,
    pieces: [raw.slice(0, -node.value.text.length) + first, ...rest],
  };
}

/** Records the findings of reading words: reports problems, walks nested scripts in a subshell, and adds the variables that were set. */
export function walkFindings(findings: WordFindings, state: ShellState, walk: ShellWalk): void {
  for (const problem of findings.problems) walk.problems.push(problem);
  for (const { script, scope } of findings.nested) walk.walkScript(script, state, { ...walk, scope });
  for (const { name, at } of findings.names) {
    walk.volatile.add(name);
    addVariablePart(name, name, at, isPrivateName(name, walk.envNames), state, walk);
  }
}

/** Expands the words of one command. Equal words are expanded once: a hostile text has thousands of them. */
export function expandWords(words: readonly ReadWord[], state: ShellState, walk: ShellWalk): ShellWord[] {
  const expandedByText = new Map<string, ShellWord>();
  return words.map((word) => {
    const expanded = expandedByText.get(word.raw) ?? expandWord(word, state, walk);
    expandedByText.set(word.raw, expanded);
    const { atoms: _, ...plain } = word;
    const { expansions, reveals } = expanded;
    return { ...plain, ...(expansions && { expansions }), ...(reveals && { reveals }) };
  });
}

/** The word with all its possible expansions, as far as they are known. */
export function expandWord(word: ReadWord, state: ShellState, walk: ShellWalk): ShellWord {
  const { atoms, ...plain } = word;
  if (staticValue(word) !== undefined) return plain;
  const expansions = atoms && expansionsOf(word, state, walk);
  const reveals = revealedNames(word.raw, knownIn(state, walk));
  return { ...plain, ...(expansions ? { expansions } : {}), ...(reveals.length > 0 ? { reveals } : {}) };
}

/** Tests whether the value of a variable is known from the script itself. */
export function knownIn({ variables }: ShellState, { volatile }: ShellWalk): (name: string) => boolean {
  return (name) => variables.has(name) && !volatile.has(name);
}

export function expansionsOf({ atoms }: ReadWord, state: ShellState, walk: ShellWalk): readonly string[] | undefined {
  return atoms && expandAtoms(atoms, expander(state, walk));
}

/** The possible values of a variable after `name=word`. */
function assignedValues(word: ReadWord, state: ShellState, walk: ShellWalk): readonly VariableValue[] | undefined {
  const text = staticValue(word);
  if (text !== undefined) return [{ text, isPattern: false }];
  return word.atoms && assignAtoms(word.atoms, expander(state, walk));
}

function expander({ folders, unknown, variables }: ShellState, { home, volatile }: ShellWalk): Expander {
  return { variables: withoutVariables(variables, volatile), folders: unknown ? undefined : folders, home };
}

/** Variables whose value is not a secret, and special parameters of the shell. */
const harmlessNames =
  /^([?#!$0-9@*]|PWD|OLDPWD|HOME|USER|LOGNAME|SHELL|PATH|LANG|LC_[A-Z]+|TERM|TMPDIR|HOSTNAME|SHLVL|RANDOM|SECONDS|LINENO)$/;

/**
 * The variables in a piece of a script whose value may be a secret: those that are neither known from the script nor harmless. Text in
 * single quotes is skipped, except in a here-document.
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
      if (name !== undefined && !harmlessNames.test(/^\d+$/.test(name) ? "0" : name) && !isKnown(name)) names.add(name);
    }
  }
  return [...names];
}
