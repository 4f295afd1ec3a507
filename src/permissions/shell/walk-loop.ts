import { forEachChild, type SyntaxNode } from "unbash";
import { addVariablePart, expansionsOf, walkFindings } from "./assignment.ts";
import { staticValue } from "./shell-part.ts";
import {
  mergeStates,
  type ShellFlow,
  type ShellState,
  sameFlow,
  withoutVariables,
  withPossibleFolders,
  withUnknownFolder,
  withVariable,
} from "./shell-state.ts";
import { findingsIn, isPrivateName, report, type ShellWalk, sourceOf, type TextSource } from "./walk-context.ts";
import { type ReadWord, readWord } from "./word.ts";
import { isPathPattern, unescapePattern, type VariableValue } from "./word-pieces.ts";

const maxRounds = 3;

type Loop = SyntaxNode & { type: "While" | "For" };

/** Walks `for`, `while` and `until`. The state at the end of a round is that at the start of the next. */
export function walkLoop(node: Loop, state: ShellState, walk: ShellWalk): ShellFlow {
  const before = withoutAssigned(node, state, walk);
  const roundStart = changesFolder(node) ? roundStarts(node, before, walk) : before;
  walkRound(node, roundStart, state, walk);
  return sameFlow(roundStart);
}

/** The state without the variables that a node may set. */
export function withoutAssigned(node: SyntaxNode, state: ShellState, walk: ShellWalk): ShellState {
  return { ...state, variables: withoutVariables(state.variables, assignedNames(node, walk.scope)) };
}

/** Every folder in which a round may begin or end, because a `cd` in one round affects the next. */
function roundStarts(node: Loop, before: ShellState, walk: ShellWalk): ShellState {
  let starts = withUnknownFolder(before);
  if (walk.rehearses) return starts;
  for (let round = 0; round < maxRounds; round++) {
    walk.budget.loops -= node.end - node.pos;
    if (walk.budget.loops < 0) {
      report(walk, "too-costly", node, "more loops that change the folder than are analysed");
      return starts;
    }
    const visited = new Set<string>();
    walkRound(node, starts, before, {
      ...walk,
      parts: [],
      problems: [],
      budget: { ...walk.budget },
      visited,
      visitedBefore: walk.visited,
      rehearses: true,
    });
    const extended = withPossibleFolders(starts, visited);
    if (
      extended.folders.length + (extended.followed?.length ?? 0) ===
      starts.folders.length + (starts.followed?.length ?? 0)
    )
      return extended;
    starts = extended;
  }
  return starts;
}

/** Walks one round of a loop, which begins in `inside`. The words of a `for` are expanded in `before`. */
function walkRound(node: Loop, inside: ShellState, before: ShellState, walk: ShellWalk): void {
  if (node.type === "While") {
    const tested = walk.walkBody(node.clause, inside, walk);
    walk.walkBody(node.body, mergeStates(tested.ok, tested.fail), walk);
    return;
  }
  const findings = findingsIn(walk.scope);
  const name = readWord(node.name, findings);
  const words = (node.wordlist ?? []).map((word) => readWord(word, findings));
  addVariablePart(name.raw, name.raw, name.at, isPrivateName(name.raw, walk.envNames), before, walk);
  walkFindings(findings, before, walk);
  const values = node.wordlist && loopValues(words, before, walk);
  walk.walkBody(node.body, { ...inside, variables: withVariable(inside.variables, name.raw, values) }, walk);
}

/** The values of the variable of `for x in …`. */
function loopValues(
  words: readonly ReadWord[],
  state: ShellState,
  walk: ShellWalk,
): readonly VariableValue[] | undefined {
  const values = words.map((word) => {
    const text = staticValue(word);
    if (text !== undefined) return [{ text, isPattern: false }];
    return expansionsOf(word, state, walk)?.map((pattern) =>
      isPathPattern(pattern)
        ? { text: pattern, isPattern: true }
        : { text: unescapePattern(pattern), isPattern: false },
    );
  });
  return values.every((value) => value !== undefined) ? values.flat() : undefined;
}

/** Nested compound commands ask for the same nodes at every level, so each node is searched once. */
const folderChanges = new WeakMap<SyntaxNode, boolean>();

/** Whether a node contains a `cd`, `pushd` or `popd` that the same shell runs. */
export function changesFolder(node: SyntaxNode): boolean {
  const cached = folderChanges.get(node);
  if (cached !== undefined) return cached;
  const found = searchFolderChange(node);
  folderChanges.set(node, found);
  return found;
}

function searchFolderChange(node: SyntaxNode): boolean {
  if (node.type === "Subshell" || node.type === "Word") return false;
  if (node.type === "Pipeline" && node.commands.length > 1) return false;
  if (node.type === "Command") {
    const words = [node.name, ...node.suffix].map((word) => word?.type === "Word" && word.value);
    return words.some((value) => value === "cd" || value === "pushd" || value === "popd");
  }
  let found = false;
  forEachChild(node, (child) => {
    found ||= changesFolder(child);
  });
  return found;
}

const settingBuiltin = /^(read|export|declare|typeset|local|readonly|mapfile|readarray|getopts|printf|unset|let)$/;

/** Every variable that a node may set, subshells included. */
function assignedNames(node: SyntaxNode, scope: TextSource): ReadonlySet<string> {
  const cached = namesByNode.get(node);
  if (cached) return cached;
  const names = new Set<string>();
  collectNames(node, scope, names);
  namesByNode.set(node, names);
  return names;
}

/** The node types for which names are requested at every level of nesting. Each is searched once. */
const cachedTypes = new Set(["While", "For", "Case"]);
const namesByNode = new WeakMap<SyntaxNode, ReadonlySet<string>>();

function collectNames(node: SyntaxNode, scope: TextSource, names: Set<string>): void {
  const text = () => sourceOf(scope, node);
  if (node.type === "Assignment") addName(text(), names);
  if (node.type === "For") addName(sourceOf(scope, node.name), names);
  if (node.type === "Command" && settingBuiltin.test(node.name ? sourceOf(scope, node.name) : "")) {
    for (const item of node.suffix) addName(sourceOf(scope, item), names);
  }
  if (node.type === "Word") {
    for (const [, name = ""] of text().matchAll(/\{([A-Za-z_][A-Za-z0-9_]*):?=/g)) names.add(name);
  }
  if (node.type === "Redirect") addName(text().replace(/^\{/, ""), names);
  forEachChild(node, (child) => {
    if (!cachedTypes.has(child.type)) return collectNames(child, scope, names);
    for (const name of assignedNames(child, scope)) names.add(name);
  });
}

function addName(text: string, names: Set<string>): void {
  const name = /^["']?([A-Za-z_][A-Za-z0-9_]*)/.exec(text)?.[1];
  if (name !== undefined) names.add(name);
}
