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
import { type VariableValue, variableValue } from "./word-pieces.ts";

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
      report(walk, "too-costly", node, "more loops that change the folder than are analyzed");
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
    if (countFolders(extended) === countFolders(starts)) return extended;
    starts = extended;
  }
  return starts;
}

function countFolders({ folders, followed = [] }: ShellState): number {
  return folders.length + followed.length;
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
    return text === undefined ? expansionsOf(word, state, walk)?.map(variableValue) : [{ text, isPattern: false }];
  });
  return values.every((value) => value !== undefined) ? values.flat() : undefined;
}

/** Nested compound commands ask for the same nodes at every level, so each node is searched once. */
function oncePerNode<Found, Rest extends readonly unknown[]>(
  search: (node: SyntaxNode, ...rest: Rest) => Found,
): (node: SyntaxNode, ...rest: Rest) => Found {
  const results = new WeakMap<SyntaxNode, Found>();
  return (node, ...rest) => {
    const result = results.get(node) ?? search(node, ...rest);
    results.set(node, result);
    return result;
  };
}

/** Whether a node contains a `cd`, `pushd` or `popd` that the same shell runs. */
export const changesFolder = oncePerNode((node): boolean => {
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
});

const settingBuiltin = /^(read|export|declare|typeset|local|readonly|mapfile|readarray|getopts|printf|unset|let)$/;

/** Every variable that a node may set, subshells included. */
const assignedNames = oncePerNode((node, scope: TextSource): ReadonlySet<string> => {
  const names = new Set<string>();
  const add = (text: string): void => {
    const name = /^["']?([A-Za-z_][A-Za-z0-9_]*)/.exec(text)?.[1];
    if (name !== undefined) names.add(name);
  };
  const text = sourceOf(scope, node);
  if (node.type === "Assignment") add(text);
  if (node.type === "For") add(sourceOf(scope, node.name));
  if (node.type === "Command" && settingBuiltin.test(node.name ? sourceOf(scope, node.name) : "")) {
    for (const item of node.suffix) add(sourceOf(scope, item));
  }
  if (node.type === "Word") {
    for (const [, name = ""] of text.matchAll(/\{([A-Za-z_][A-Za-z0-9_]*):?=/g)) names.add(name);
  }
  if (node.type === "Redirect") add(text.replace(/^\{/, ""));
  forEachChild(node, (child) => {
    for (const name of assignedNames(child, scope)) names.add(name);
  });
  return names;
});
