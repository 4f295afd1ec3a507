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
import { expandWord, walkFound } from "./assignment.ts";
import { collectScripts } from "./expansion.ts";
import { checkTest, type FileTest } from "./programs/builtins.ts";
import { emptyWord } from "./programs/inner-command.ts";
import { walkRedirections } from "./redirection.ts";
import { nothingFound, report } from "./scope.ts";
import type { ShellWord, Span } from "./shell-part.ts";
import {
  either,
  type Flow,
  isReachable,
  placesOf,
  type State,
  somewhere,
  staying,
  unknownPlace,
  withoutVariables,
} from "./shell-state.ts";
import { checkGaps } from "./verify-parse.ts";
import { walkCommand } from "./walk-command.ts";
import type { Walk } from "./walk-context.ts";
import { assignedNames, changesFolder, walkLoop } from "./walk-loop.ts";
import { readWord } from "./word.ts";

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

export function walkBody(list: CompoundList, state: State, walk: Walk): Flow {
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
      // A folder changed only if something failed: where the list continues is not certain.
      const next = walkNode(command, flow.fail, walk);
      const moved = changesFolder(command) && isReachable(next.ok);
      const ok = either(flow.ok, next.ok);
      flow = moved ? { ok: somewhere(ok), fail: somewhere(next.fail) } : { ok, fail: next.fail };
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
    const taken = walkBody(branch.then, changesFolder(branch.clause) ? somewhere(test.ok) : test.ok, walk);
    const end = either(taken.ok, taken.fail);
    after = after ? either(after, end) : end;
    otherwise = test.fail;
  }
  const last = node.else ? walkBody(node.else, otherwise, walk) : staying(otherwise);
  const end = either(either(last.ok, last.fail), after ?? state);
  return staying(changesFolder(node) ? somewhere(end) : end);
}

function walkCase(node: Case, state: State, walk: Walk): Flow {
  const found = nothingFound();
  readWord(node.word, walk.scope, found);
  for (const item of node.items) for (const pattern of item.pattern) readWord(pattern, walk.scope, found);
  walkFound(found, state, walk);
  const fixed: State = { ...state, variables: withoutVariables(state.variables, assignedNames(node, walk.scope)) };
  let [reached, after] = [state, fixed];
  for (const item of node.items) {
    const body = walkBody(item.body, reached, walk);
    const end = { ...either(body.ok, body.fail), variables: fixed.variables };
    after = either(after, end);
    // `;&` and `;;&` continue with the next list, in the folder this one has reached.
    const continues = item.terminator === ";&" || item.terminator === ";;&";
    reached = continues ? either(fixed, end) : state;
    if (continues && changesFolder(item.body)) reached = somewhere(reached);
  }
  return staying(changesFolder(node) ? somewhere(after) : after);
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
