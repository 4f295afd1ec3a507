import { forEachChild, type SyntaxNode } from "unbash";
import { addName, expansionsOf, walkFindings } from "./assignment.ts";
import { noFindings, type TextSource } from "./scope.ts";
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
import { isPrivateName, type ShellWalk } from "./walk-context.ts";
import { type ReadWord, readWord } from "./word.ts";
import { isPathPattern, unescapePattern, type VariableValue } from "./word-pieces.ts";

const maxRounds = 3;

type Loop = SyntaxNode & { type: "While" | "For" };

/** `for`, `while` and `until`: what a round leaves behind, the next one finds. */
export function walkLoop(node: Loop, state: ShellState, walk: ShellWalk): ShellFlow {
  const fixed: ShellState = { ...state, variables: withoutVariables(state.variables, assignedNames(node, walk.scope)) };
  const inside = changesFolder(node) ? startsOfRounds(node, fixed, walk) : fixed;
  walkRound(node, inside, state, walk);
  return sameFlow(inside);
}

/** Every folder that a round of the loop may begin or end in: a `cd` in one round moves the next. */
function startsOfRounds(node: Loop, before: ShellState, walk: ShellWalk): ShellState {
  let starts = withUnknownFolder(before);
  if (walk.rehearses) return starts;
  for (let round = 0; round < maxRounds; round++) {
    walk.budget.loops -= node.end - node.pos;
    if (walk.budget.loops < 0) {
      walk.problems.push({
        code: "too-costly",
        at: walk.scope.span(node.pos, node.end),
        text: "more loops that change the folder than are analysed",
      });
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
    const more = withPossibleFolders(starts, visited);
    if (more.folders.length + (more.followed?.length ?? 0) === starts.folders.length + (starts.followed?.length ?? 0))
      return more;
    starts = more;
  }
  return starts;
}

/** One round of a loop that begins in `inside`; the words of a `for` are read in `before`. */
function walkRound(node: Loop, inside: ShellState, before: ShellState, walk: ShellWalk): void {
  if (node.type === "While") {
    const tested = walk.walkBody(node.clause, inside, walk);
    walk.walkBody(node.body, mergeStates(tested.ok, tested.fail), walk);
    return;
  }
  const found = noFindings();
  const name = readWord(node.name, walk.scope, found);
  const words = (node.wordlist ?? []).map((word) => readWord(word, walk.scope, found));
  addName(name.raw, name.raw, name.at, isPrivateName(name.raw, walk.envNames), before, walk);
  walkFindings(found, before, walk);
  const values = node.wordlist && loopValues(words, before, walk);
  walk.walkBody(node.body, { ...inside, variables: withVariable(inside.variables, name.raw, values) }, walk);
}

/** What `for x in …` gives its variable in turn. */
function loopValues(
  words: readonly ReadWord[],
  state: ShellState,
  walk: ShellWalk,
): readonly VariableValue[] | undefined {
  const values = words.map((word) => {
    const text = staticValue(word);
    if (text !== undefined) return [{ text, live: false }];
    return expansionsOf(word, state, walk)?.map((pattern) =>
      isPathPattern(pattern) ? { text: pattern, live: true } : { text: unescapePattern(pattern), live: false },
    );
  });
  return values.every((value) => value !== undefined) ? values.flat() : undefined;
}

/** Compound commands ask about what they hold at every level; each node is searched once. */
const folderChanges = new WeakMap<SyntaxNode, boolean>();

/** Whether a `cd`, `pushd` or `popd` stands anywhere in a node that the same shell runs. */
export function changesFolder(node: SyntaxNode): boolean {
  const known = folderChanges.get(node);
  if (known !== undefined) return known;
  const found = search(node);
  folderChanges.set(node, found);
  return found;
}

function search(node: SyntaxNode): boolean {
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

/** Every name that something in a node may set, in whatever shell. */
export function assignedNames(node: SyntaxNode, scope: TextSource): ReadonlySet<string> {
  const known = namesByNode.get(node);
  if (known) return known;
  const names = new Set<string>();
  collect(node, scope, names);
  namesByNode.set(node, names);
  return names;
}

/** What is asked about at every level of nesting, and searched once. */
const repeating = new Set(["While", "For", "Case"]);
const namesByNode = new WeakMap<SyntaxNode, ReadonlySet<string>>();

function collect(node: SyntaxNode, scope: TextSource, names: Set<string>): void {
  const { source } = scope;
  const text = () => source.slice(node.pos, node.end);
  if (node.type === "Assignment") addNames(text(), names);
  if (node.type === "For") addNames(source.slice(node.name.pos, node.name.end), names);
  if (node.type === "Command" && settingBuiltin.test(node.name ? source.slice(node.name.pos, node.name.end) : "")) {
    for (const item of node.suffix) addNames(source.slice(item.pos, item.end), names);
  }
  if (node.type === "Word") {
    for (const [, name = ""] of text().matchAll(/\{([A-Za-z_][A-Za-z0-9_]*):?=/g)) names.add(name);
  }
  if (node.type === "Redirect") addNames(text().replace(/^\{/, ""), names);
  forEachChild(node, (child) => {
    if (!repeating.has(child.type)) return collect(child, scope, names);
    for (const name of assignedNames(child, scope)) names.add(name);
  });
}

function addNames(text: string, names: Set<string>): void {
  const name = /^["']?([A-Za-z_][A-Za-z0-9_]*)/.exec(text)?.[1];
  if (name !== undefined) names.add(name);
}
