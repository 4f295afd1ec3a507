import {
  type AndOr,
  type Case,
  type CompoundList,
  forEachChild,
  type If,
  type ParsedScript,
  type Pipeline,
  type Statement,
  type SyntaxNode,
} from "unbash";
import { assignedNames } from "./assigned-names.ts";
import { addName } from "./assignment.ts";
import { isPattern, unescapePattern } from "./atoms.ts";
import { walkCommand } from "./command.ts";
import { expandWord, expansionsOf } from "./expand-word.ts";
import { collectScripts } from "./expansion.ts";
import { walkFound } from "./found.ts";
import { checkGaps } from "./gaps.ts";
import { type Dialect, emptyWord } from "./inner.ts";
import { isPrivateName } from "./names.ts";
import type { CommandPart, ShellPart, ShellProblem, ShellWord, Span } from "./part.ts";
import { staticValue } from "./part.ts";
import { either, type Flow, isReachable, placesOf, type State, staying, unknownPlace } from "./places.ts";
import { walkRedirections } from "./redirection.ts";
import { nothingFound, report, type Scope } from "./scope.ts";
import { checkTest, type FileTest } from "./test-command.ts";
import { type VariableValue, withoutVariables, withVariable } from "./variables.ts";
import { type ReadWord, readWord } from "./word.ts";

/** What a walk through a text gathers, and what it needs to know. */
export interface Walk {
  readonly scope: Scope;
  readonly parts: ShellPart[];
  readonly problems: ShellProblem[];
  readonly via: readonly string[];
  readonly within?: CommandPart;
  readonly dialect: Dialect;
  /** Scripts inside scripts (`bash -c`), counted. */
  readonly depth: number;
  /** How many characters of such scripts, and words of commands inside commands, may still be analysed, shared by the whole walk. */
  readonly budget: { characters: number; words: number };
  readonly home: string;
  readonly envNames: ReadonlySet<string>;
  /** Names that expansions set on their way, as `${x:=1}` does: nothing is known of them. Shared by the whole walk. */
  readonly volatile: Set<string>;
}

export function walkScript(script: ParsedScript, state: State, walk: Walk): Flow {
  for (const error of script.errors ?? []) {
    walk.problems.push({ code: "syntax", at: walk.scope.span(error.pos, error.pos + 1), text: error.message });
  }
  const found = nothingFound();
  checkGaps(script, walk.scope, found);
  for (const problem of found.problems) walk.problems.push(problem);
  return walkList(script.commands, state, walk);
}

function walkList(statements: readonly Statement[], state: State, walk: Walk): Flow {
  let flow = staying(state);
  for (const statement of statements) {
    const before = either(flow.ok, flow.fail);
    flow = walkNode(statement.command, before, walk);
    // What runs in the background has a shell of its own.
    if (statement.background) flow = staying(before);
  }
  return flow;
}

function walkBody(list: CompoundList, state: State, walk: Walk): Flow {
  return walkList(list.commands, state, walk);
}

function walkNode(node: SyntaxNode, state: State, walk: Walk): Flow {
  switch (node.type) {
    case "Command":
      return walkCommand(node, state, walk);
    case "AndOr":
      return walkAndOr(node, state, walk);
    case "Pipeline":
      return walkPipeline(node, state, walk);
    case "Redirected":
      walkRedirections(node.redirects, state, walk);
      return walkNode(node.command, state, walk);
    case "BraceGroup":
      return walkBody(node.body, state, walk);
    case "Subshell":
      // `((` is arithmetic or a subshell in a subshell, and bash decides only at the end.
      if (walk.scope.source[node.pos + 1] === "(") {
        walk.problems.push({ code: "construct", at: walk.scope.span(node.pos, node.end), text: "((" });
      }
      walkBody(node.body, state, walk);
      return staying(state);
    case "If":
      return walkIf(node, state, walk);
    case "While":
    case "For":
      return walkLoop(node, state, walk);
    case "Case":
      return walkCase(node, state, walk);
    case "TestCommand": {
      const found = nothingFound();
      if (walk.dialect !== "bash") report(found, "construct", walk.scope, node, "[[ ]] is not every shell's");
      const tests = checkTest(node.expression, walk.scope, found);
      walkFound(found, state, walk);
      const at = walk.scope.span(node.pos, node.end);
      if (tests.length > 0) addFileTests(tests, walk.scope.source.slice(node.pos, node.end), at, state, walk);
      return staying(state);
    }
    default:
      return walkRefused(node, state, walk);
  }
}

/** What `[[ … ]]` asks about files is a command like `[ … ]`; whatever else it compares is nobody's concern. */
function addFileTests(tests: readonly FileTest[], raw: string, at: Span, state: State, walk: Walk): void {
  const sign = (text: string): ShellWord => ({ ...emptyWord, pieces: [text], raw: text, at });
  const asked = tests.flat().map((word) => (typeof word === "string" ? sign(word) : expandWord(word, state, walk)));
  const words = [sign("[["), ...asked, sign("]]")];
  const part = { kind: "command", words, raw, at, via: walk.via, places: placesOf(state), openEnded: false } as const;
  walk.parts.push(walk.within ? { ...part, within: walk.within } : part);
}

function walkAndOr(node: AndOr, state: State, walk: Walk): Flow {
  const [first, ...rest] = node.commands;
  if (first === undefined) return staying(state);
  let flow = walkNode(first, state, walk);
  for (const [index, command] of rest.entries()) {
    if (node.operators[index] === "&&") {
      const next = walkNode(command, flow.ok, walk);
      flow = { ok: next.ok, fail: either(flow.fail, next.fail) };
    } else {
      // A folder changed only if something failed: nobody can say where the list goes on.
      const next = walkNode(command, flow.fail, walk);
      const moved = changesFolder(command) && isReachable(next.ok);
      flow = { ok: moved ? unknownPlace : either(flow.ok, next.ok), fail: moved ? unknownPlace : next.fail };
    }
  }
  return flow;
}

function walkPipeline(node: Pipeline, state: State, walk: Walk): Flow {
  for (const prefix of node.prefixes) {
    if (prefix.type === "Time") {
      walk.problems.push({ code: "construct", at: walk.scope.span(prefix.pos, prefix.end), text: "time" });
    }
  }
  const [only] = node.commands;
  if (node.commands.length === 1 && only) {
    const flow = walkNode(only, state, walk);
    const negated = node.prefixes.filter((prefix) => prefix.type === "Negation").length % 2 === 1;
    return negated ? { ok: flow.fail, fail: flow.ok } : flow;
  }
  for (const command of node.commands) walkNode(command, state, walk);
  return staying(state);
}

function walkIf(node: If, state: State, walk: Walk): Flow {
  let otherwise = state;
  let after: State | undefined;
  for (const branch of [node, ...node.elif]) {
    const test = walkBody(branch.clause, otherwise, walk);
    const taken = walkBody(branch.then, changesFolder(branch.clause) ? unknownPlace : test.ok, walk);
    const end = either(taken.ok, taken.fail);
    after = after ? either(after, end) : end;
    otherwise = test.fail;
  }
  const last = node.else ? walkBody(node.else, otherwise, walk) : staying(otherwise);
  const end = either(either(last.ok, last.fail), after ?? state);
  return staying(changesFolder(node) ? unknownPlace : end);
}

function walkLoop(node: SyntaxNode & { type: "While" | "For" }, state: State, walk: Walk): Flow {
  // What a round of the loop sets, the next one finds.
  const fixed: State = { ...state, variables: withoutVariables(state.variables, assignedNames(node, walk.scope)) };
  const inside = changesFolder(node) ? unknownPlace : fixed;
  if (node.type === "While") {
    const tested = walkBody(node.clause, inside, walk);
    walkBody(node.body, { ...inside, variables: either(tested.ok, tested.fail).variables }, walk);
    return staying(inside);
  }
  const found = nothingFound();
  const name = readWord(node.name, walk.scope, found);
  const words = (node.wordlist ?? []).map((word) => readWord(word, walk.scope, found));
  addName(name.raw, name.raw, name.at, isPrivateName(name.raw, walk.envNames), state, walk);
  walkFound(found, state, walk);
  const values = node.wordlist && loopValues(words, state, walk);
  walkBody(node.body, { ...inside, variables: withVariable(inside.variables, name.raw, values) }, walk);
  return staying(inside);
}

/** What `for x in …` gives its variable in turn. */
function loopValues(words: readonly ReadWord[], state: State, walk: Walk): readonly VariableValue[] | undefined {
  const values = words.map((word) => {
    const text = staticValue(word);
    if (text !== undefined) return [{ text, live: false }];
    return expansionsOf(word, state, walk)?.map((pattern) =>
      isPattern(pattern) ? { text: pattern, live: true } : { text: unescapePattern(pattern), live: false },
    );
  });
  return values.every((value) => value !== undefined) ? values.flat() : undefined;
}

function walkCase(node: Case, state: State, walk: Walk): Flow {
  const found = nothingFound();
  readWord(node.word, walk.scope, found);
  for (const item of node.items) for (const pattern of item.pattern) readWord(pattern, walk.scope, found);
  walkFound(found, state, walk);
  let reached = state;
  const set = assignedNames(node, walk.scope);
  for (const item of node.items) {
    walkBody(item.body, reached, walk);
    // `;&` and `;;&` go on with the next list, in whatever folder this one has reached.
    const goesOn = item.terminator === ";&" || item.terminator === ";;&";
    const variables = goesOn ? withoutVariables(reached.variables, set) : state.variables;
    reached = goesOn && (reached.unknown || changesFolder(item.body)) ? unknownPlace : { ...state, variables };
  }
  const after: State = { ...state, variables: withoutVariables(state.variables, assignedNames(node, walk.scope)) };
  return staying(changesFolder(node) ? unknownPlace : after);
}

/** A construct that is not analysed, or that nobody knows: what it holds still counts for deny. */
function walkRefused(node: SyntaxNode, state: State, walk: Walk): Flow {
  walk.problems.push({ code: "construct", at: walk.scope.span(node.pos, node.end), text: node.type });
  forEachChild(node, (child) => {
    if (child.type === "CompoundList") walkBody(child, unknownPlace, walk);
    else if (child.type === "Word" || child.type.startsWith("Arithmetic")) {
      const found = nothingFound();
      collectScripts(child, walk.scope, found);
      walkFound(found, state, walk);
    } else walkNode(child, unknownPlace, walk);
  });
  return staying(unknownPlace);
}

/** Whether a `cd`, `pushd` or `popd` stands anywhere in a node that the same shell runs. */
function changesFolder(node: SyntaxNode): boolean {
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
